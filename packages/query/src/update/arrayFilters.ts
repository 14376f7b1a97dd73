/** `arrayFilters`: which elements `$[identifier]` means. Upstream: parsed_update_array_filters.cpp. */
import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor } from '@replsim/protocol';
import type { Collator } from '../collation/collator.ts';
import { compileFilter } from '../filter/filter.ts';
import { elementsOf } from '../values.ts';

export type ElementFilter = (element: BsonValue) => boolean;

/** Upstream: expression_parser.h, kBanAllSpecialFeatures. */
const BANNED: ReadonlySet<'$expr' | '$jsonSchema'> = new Set(['$expr', '$jsonSchema'] as const);

/** Compiles the filters by identifier. Throws CommandError FailedToParse, or as `compileFilter` does. */
export function compileArrayFilters(
  arrayFilters: readonly Uint8Array[],
  collator?: Collator,
): Map<string, ElementFilter> {
  const byIdentifier = new Map<string, ElementFilter>();
  for (const bytes of arrayFilters) {
    const matches = parsed(() => compileFilter(bytes, { collator, bans: BANNED }));
    const identifier = identifierOf(bytes);
    if (byIdentifier.has(identifier)) {
      throw failed(`Found multiple array filters with the same top-level field name ${identifier}`);
    }
    byIdentifier.set(identifier, (element) => {
      // The filter speaks of the element by name, so it is shown a document with that one field.
      const writer = new BsonWriter(element.size + 32);
      writer.rawValue(identifier, element);
      return matches(writer.finish());
    });
  }
  return byIdentifier;
}

/** What is wrong with the filter itself is reported as such. */
function parsed<T>(compile: () => T): T {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.code, `Error parsing array filter :: caused by :: ${error.message}`);
  }
}

function identifierOf(bytes: Uint8Array): string {
  const names = new Set<string>();
  collectNames(bytes, 0, names);
  const [first, second] = names;
  if (first === undefined) {
    throw failed('Cannot use an expression without a top-level field name in arrayFilters');
  }
  if (second !== undefined) {
    const message = `Expected a single top-level field name, found '${first}' and '${second}'`;
    throw failed(`Error parsing array filter :: caused by :: ${message}`);
  }
  if (!/^[a-z][a-zA-Z0-9]*$/.test(first)) {
    const rule = 'must be an alphanumeric string beginning with a lowercase letter';
    throw new CommandError(
      'BadValue',
      `Error parsing array filter :: caused by :: The top-level field name ${rule}, found '${first}'`,
    );
  }
  return first;
}

function collectNames(bytes: Uint8Array, start: number, names: Set<string>): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const { name } = cursor;
    if (!name.startsWith('$')) names.add(name.split('.')[0]!);
    else if (cursor.type === BsonType.array) {
      for (const branch of elementsOf(cursor.value())) {
        if (branch.type === BsonType.object) collectNames(branch.bytes, branch.offset, names);
      }
    }
  }
}

function failed(message: string): CommandError {
  return new CommandError('FailedToParse', message);
}
