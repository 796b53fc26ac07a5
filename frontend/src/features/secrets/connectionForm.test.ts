import { describe, expect, it } from 'vitest';
import { documentOf, emptyForm, formOf } from './connectionForm';

const postgres = {
  name: 'postgres',
  title: 'PostgreSQL',
  port: 5432,
  handler: 'sql',
  options: [{ name: 'sslmode', values: ['require'] }],
};

describe('the document of a connection', () => {
  it('has what the type has, and no empty field', () => {
    const form = {
      ...emptyForm('postgres'),
      name: ' dw ',
      host: 'db',
      port: '5433',
      database: 'dw',
      secret: 'DW',
      user: 'etl',
      options: { sslmode: 'require', tls: 'true', timezone: '' },
      groups: 'etl, etl，default',
    };
    expect(documentOf(form, postgres)).toEqual({
      apiVersion: 'hivego/v1',
      kind: 'Connection',
      name: 'dw',
      type: 'postgres',
      host: 'db',
      port: 5433,
      database: 'dw',
      user: 'etl',
      password: '${{ secrets.DW }}',
      options: { sslmode: 'require' },
      groups: ['etl', 'default'],
    });
    const file = documentOf({ ...form, type: 'sqlite' }, { ...postgres, name: 'sqlite', port: 0, options: [] });
    expect(file).toEqual({
      apiVersion: 'hivego/v1',
      kind: 'Connection',
      name: 'dw',
      type: 'sqlite',
      database: 'dw',
      groups: ['etl', 'default'],
    });
  });

  it('is what was stored', () => {
    const stored = {
      ...{ name: 'dw', title: 'W', description: '', type: 'postgres', groups: ['a', 'b'], revision: 1 },
      ...{ createdAt: '', createdBy: '', updatedAt: '', updatedBy: '', host: 'db', port: 0, database: 'dw', user: 'u' },
      ...{ passwordSecret: 'DW', options: { sslmode: 'require' }, usedBy: [], document: '', hash: '' },
    };
    expect(documentOf(formOf(stored), postgres)).toMatchObject({
      port: undefined,
      password: '${{ secrets.DW }}',
      groups: ['a', 'b'],
      title: 'W',
    });
  });
});
