import { FAULT_KINDS } from '@replsim/replset';
import { VERSION } from '../version.ts';
import { VERBS, type Verb } from './verbs.ts';

/** The table of verbs as an OpenAPI 3.1 document. @param address where the server is */
export function openApi(address: string): object {
  return {
    openapi: '3.1.0',
    info: {
      title: 'replsim serve --control',
      version: VERSION,
      description:
        'Faults, time and questions for a served set. Everyone who has the whole address can do all of this.',
    },
    servers: [{ url: address.replace(/\/$/, '') }],
    paths: Object.fromEntries(
      Object.entries<Verb>(VERBS).map(([name, verb]) => [
        `/${name}`,
        { [verb.method.toLowerCase()]: operation(name, verb) },
      ]),
    ),
  };
}

function operation(name: string, verb: Verb): object {
  const type = verb.answers ?? 'application/json';
  return {
    operationId: name,
    summary: verb.what,
    ...(verb.method === 'GET' ? { parameters: parameters(verb) } : { requestBody: requestBody(verb) }),
    responses: {
      200: {
        description: 'done',
        content: { [type]: { schema: verb.answers ? { type: 'string' } : { type: 'object' } } },
      },
      400: { description: 'the request is wrong; `errmsg` says where', content: errorContent },
      409: { description: 'the set refuses, or it did not come about; `errmsg` says why', content: errorContent },
    },
  };
}

const errorContent = {
  'application/json': {
    schema: {
      type: 'object',
      required: ['ok', 'errmsg'],
      properties: { ok: { const: 0 }, errmsg: { type: 'string' } },
    },
  },
};

function parameters({ fields }: Verb): object[] {
  return Object.entries(fields).map(([name, { what, type, required = false }]) => ({
    name,
    in: 'query',
    required,
    description: what,
    schema: { type },
  }));
}

function requestBody({ fields, takesFaults }: Verb): object {
  const own = Object.entries(fields).map(([name, { what, type }]) => [name, { type, description: what }]);
  const faults = takesFaults ? FAULT_KINDS.map((kind) => [kind, { description: `the fault ${kind}` }]) : [];
  const required = Object.entries(fields).flatMap(([name, { required }]) => (required ? [name] : []));
  return {
    required: required.length > 0 || takesFaults === true,
    content: {
      'application/json': {
        schema: {
          type: 'object',
          properties: Object.fromEntries([...own, ...faults]),
          required,
          additionalProperties: false,
        },
      },
    },
  };
}
