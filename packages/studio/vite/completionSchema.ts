import type { Plugin } from 'vite';
import type { Schema } from '../src/core/edit/complete.ts';

const SCHEMA = /\/scenario\/schema\.json\?raw$/;

/** Of the language's JSON Schema the editor gets what completions are made of, and each part of it once. */
export function completionSchema(): Plugin {
  return {
    name: 'replsim:completion-schema',
    transform(code, id) {
      if (!SCHEMA.test(id)) return;
      const text: string = JSON.parse(code.replace(/^export default /, '').replace(/;?\s*$/, ''));
      return `export default ${JSON.stringify(JSON.stringify(withoutRepetition(completing(JSON.parse(text)))))};`;
    },
  };
}

/** Without bounds, patterns, defaults and all else that only a check of values would need. */
export function completing({ $ref, enum: values, type, description, ...rest }: Schema): Schema {
  return {
    ...('const' in rest && { const: rest.const }),
    ...($ref !== undefined && { $ref }),
    ...(values && { enum: values }),
    // No other type has values that can be listed.
    ...(type === 'boolean' && { type }),
    ...(description !== undefined && { description }),
    ...parts(rest, completing),
  };
}

/** As long as a reference would be. */
const SHORT = 40;

/**
 * Parts that stand in several places become definitions. One that is found twice is mostly far from the first, and no compression sees that.
 * A description beside alternatives or a reference stays where it is, since whoever follows a reference finds only what is at its end.
 */
export function withoutRepetition(schema: Schema): Schema {
  const times = new Map<string, number>();
  count(schema);
  const definitions: Record<string, Schema> = {};
  const names = new Map<string, string>();
  const { $defs, ...rest } = parts(schema, shared);
  return { ...schema, ...rest, $defs: { ...$defs, ...definitions } };

  function count(part: Schema): Schema {
    const text = JSON.stringify(part);
    const before = times.get(text) ?? 0;
    times.set(text, before + 1);
    if (before === 0) parts(part, count);
    return part;
  }

  function shared(part: Schema): Schema {
    const text = JSON.stringify(part);
    const inner = () => ({ ...part, ...parts(part, shared) });
    const isDescribed = part.description !== undefined && (part.anyOf ?? part.$ref) !== undefined;
    if (text.length < SHORT || isDescribed || times.get(text) === 1) return inner();
    let name = names.get(text);
    if (name === undefined) {
      name = String(names.size);
      names.set(text, name);
      definitions[name] = inner();
    }
    return { $ref: `#/$defs/${name}` };
  }
}

/** What a schema is made of, each with something done to it. */
function parts(schema: Schema, change: (part: Schema) => Schema): Schema {
  const { $defs, anyOf, properties, additionalProperties, items } = schema;
  const each = (named: Readonly<Record<string, Schema>>) =>
    Object.fromEntries(Object.entries(named).map(([name, part]) => [name, change(part)]));
  return {
    ...($defs && { $defs: each($defs) }),
    ...(anyOf && { anyOf: anyOf.map(change) }),
    ...(properties && { properties: each(properties) }),
    ...(typeof additionalProperties === 'object' && { additionalProperties: change(additionalProperties) }),
    ...(items && { items: change(items) }),
  };
}
