import * as z from 'zod';

type JsonSchema = z.core.JSONSchema.JSONSchema;

/** As `Source.toPlain` reads it, wherever a number may stand: what mongosh prints of a config can be pasted. */
const EXTENDED_NUMBER: JsonSchema = {
  description: 'A number in Extended JSON, as mongosh prints it',
  type: 'object',
  properties: {
    $numberInt: { description: 'A whole number', type: 'string', pattern: '\\S' },
    $numberLong: { description: 'A whole number', type: 'string', pattern: '\\S' },
    $numberDouble: { description: 'Any number', type: 'string', pattern: '\\S' },
  },
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
};
const NAME = 'extendedNumber';

/** What is said of a key stays with the key. */
const ABOUT: readonly string[] = ['description', 'default', 'title', 'id'];

/** A language as JSON Schema (draft 2020-12), so that editors complete and check. */
export function jsonSchemaOf(language: z.ZodType, title: string): Record<string, unknown> {
  const { $schema, $defs, ...schema } = z.toJSONSchema(language, {
    io: 'input',
    unrepresentable: 'any',
    override: ({ jsonSchema }) => allowExtendedNumber(jsonSchema),
  });
  return { $schema, title, ...schema, $defs: { ...$defs, [NAME]: EXTENDED_NUMBER } };
}

function allowExtendedNumber(schema: JsonSchema): void {
  if (schema.type !== 'number' && schema.type !== 'integer') return;
  const number: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(schema)) {
    if (ABOUT.includes(keyword)) continue;
    number[keyword] = value;
    delete schema[keyword];
  }
  schema.anyOf = [number as JsonSchema, { $ref: `#/$defs/${NAME}` }];
}
