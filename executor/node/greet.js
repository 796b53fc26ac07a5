// An executor with one handler. Run: node greet.js (see README.md).
const { Failure, handler, serve } = require('./hivego-executor');

handler(
  'greet',
  {
    title: 'Greet',
    schema: {
      type: 'object',
      required: ['name'],
      additionalProperties: false,
      properties: { name: { type: 'string', title: 'Name', minLength: 1, 'x-render': 'plain' } },
    },
  },
  async ({ name }, task) => {
    if (name === 'nobody') throw new Failure('there is nobody to greet');
    task.log('greeting', name);
    return { greeting: `Hello ${name}` };
  },
);

serve({ name: 'node' });
