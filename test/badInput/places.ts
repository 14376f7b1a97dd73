import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Document, isMap, isSeq, type Node, parseDocument } from 'yaml';
import { root } from '../docs/markdown.ts';

// Where values stand in scenarios, by the schema itself: a key that is new in the language is among them without anybody's doing.

/** What is looked at of a JSON Schema. */
export interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | boolean;
  readonly prefixItems?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
}

/** A value in a file, or a key that the map there may have. */
export interface Place {
  /** By the schema: `steps[].insert.count`. */
  readonly name: string;
  readonly file: string;
  readonly path: readonly (string | number)[];
  /** What stands there, in JSON, which is YAML too; undefined if nothing does. */
  readonly value?: string;
}

type Path = Place['path'];

/**
 * Each place of the language once, in the shortest file that has it; or, if none has, that has the map which may hold it.
 * @param files from the top of the repository
 */
export function placesOf(schema: Schema, files: readonly string[]): readonly Place[] {
  const found = new Map<string, Place>();
  const possible = new Map<string, Place>();
  const texts = files.map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
  for (const { file, text } of texts.sort((a, b) => a.text.length - b.text.length)) {
    const document = parseDocument(text);
    const put = (into: Map<string, Place>, name: string, path: Path, node?: Node | null) => {
      if (into.has(name)) return;
      into.set(name, { name, file, path, ...(node && { value: JSON.stringify(node.toJS(document)) }) });
    };
    const walk = (node: Node | null, given: readonly Schema[], name: string, path: Path): void => {
      put(found, name, path, node);
      const schemas = given.flatMap((each) => alternatives(schema, each));
      if (isMap(node)) {
        for (const key of schemas.flatMap(({ properties = {} }) => Object.keys(properties)))
          put(possible, `${name}.${key}`, [...path, key]);
        for (const { key, value } of node.items) {
          const inner = schemas.flatMap((each) => ofKey(each, String(key)));
          const isKnown = schemas.some(({ properties = {} }) => String(key) in properties);
          walk(value as Node | null, inner, `${name}.${isKnown ? key : '*'}`, [...path, String(key)]);
        }
      } else if (isSeq(node)) {
        for (const [index, item] of node.items.entries())
          walk(
            item as Node,
            schemas.flatMap((each) => ofIndex(each, index)),
            `${name}[]`,
            [...path, index],
          );
      }
    };
    walk(document.contents, [schema], '', []);
  }
  return [...possible, ...found].flatMap(([name, place]) =>
    name === '' || (found.has(name) && found.get(name) !== place) ? [] : [place],
  );
}

function alternatives(top: Schema, schema: Schema): Schema[] {
  const { $ref, anyOf = [] } = schema;
  const named = $ref === undefined ? undefined : $ref === '#' ? top : top.$defs?.[$ref.replace('#/$defs/', '')];
  return [schema, ...(named ? alternatives(top, named) : []), ...anyOf.flatMap((each) => alternatives(top, each))];
}

function ofKey({ properties = {}, additionalProperties }: Schema, key: string): Schema[] {
  const known = Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
  return typeof known === 'object' ? [known] : [];
}

function ofIndex({ items, prefixItems }: Schema, index: number): Schema[] {
  const known = prefixItems?.[index] ?? items;
  return typeof known === 'object' ? [known] : [];
}

/** The text of a file with another value at a place. @param value in YAML's flow style */
export function withValue({ file, path }: Place, value: string): string {
  const document: Document = parseDocument(readFileSync(join(root, file), 'utf8'));
  document.setIn(path, MARK);
  return document.toString({ lineWidth: 0 }).replace(MARK, () => value);
}

/** It stands in no scenario, and YAML puts no quotes around it. */
const MARK = 'xVALUEx';
