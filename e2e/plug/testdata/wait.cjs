// Work that goes on until somebody lets it: the helper of the examples, as strangers use it.
const { existsSync, writeFileSync } = require('node:fs')
const { handler, serve } = require('hivego-executor')

handler('wait', { schema: { type: 'object', required: ['file'], properties: { file: { type: 'string' } } } }, async ({ file }) => {
  writeFileSync(`${file}.began`, '')
  while (!existsSync(file)) await new Promise((resolve) => setTimeout(resolve, 10))
  return { waited: true }
})

serve({ name: 'node' })
