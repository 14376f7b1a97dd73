import { BsonType, type BsonValue, CommandError, ElementCursor } from '@replsim/protocol';
import { compileProjection, firstName } from '@replsim/query';
import { bytesOf, isNumeric, truthOf, typeName } from '../fields/values.ts';

/** What an index on every field has for a path. */
export const ALL_FIELDS = '$**';

/**
 * Checks what an index on every field leaves out. Errors: BadValue 2, TypeMismatch 14, FailedToParse 9 for one that it cannot have; those
 * of `checkOtherFields`; Location51271 for what is computed; those of projections: 31253, 31254, 31249, 31250.
 * Upstream: index_key_validate.cpp, validateIndexSpec; wildcard_key_generator.cpp, createProjectionExecutor.
 * @param paths all of the key's, wildcards among them
 */
export function checkWildcardProjection(projection: BsonValue, paths: readonly string[], isWildcard: boolean): void {
  if (!isWildcard) throw new CommandError('BadValue', "'wildcardProjection' is for wildcard indexes alone");
  if (projection.type !== BsonType.object) {
    const errmsg = `The field 'wildcardProjection' must be a non-empty object, but got ${typeName(projection.type)}`;
    throw new CommandError('TypeMismatch', errmsg);
  }
  if (!paths.includes(ALL_FIELDS)) {
    const errmsg = "'wildcardProjection' is for an index on '$**', not on the fields below a path";
    throw new CommandError('FailedToParse', errmsg);
  }
  if (projection.size === 5) {
    throw new CommandError('FailedToParse', "'wildcardProjection' cannot be an empty object");
  }
  if (paths.length > 1) checkOtherFields(projection, paths);
  checkPlain(projection);
  compileProjection(bytesOf(projection));
}

/**
 * The other fields of the index are none that the wildcard stands for. Errors: Location7246200 for paths of which one is in the other,
 * 7246208 for another field that is included, 7246209 and 7246210 for one that is not excluded, 7246211 for what includes and excludes.
 * Upstream: wildcard_validation.cpp, validateWildcardProjection.
 */
function checkOtherFields(projection: BsonValue, paths: readonly string[]): void {
  const others = sorted(paths.filter((path) => path !== ALL_FIELDS));
  const { included, excluded } = pathsOf(projection);
  for (const side of [included, excluded]) {
    const inner = side.find((path, i) => i > 0 && covers(side[i - 1]!, path));
    if (inner !== undefined) throw refused(7246200, `'${inner}' is within another one of its paths`);
  }
  const kept = others.find((path) => included.some((each) => covers(each, path)));
  if (kept !== undefined) throw refused(7246208, `'${kept}' is another field of the index, and cannot be included`);
  // Just '_id' may be left out of anything.
  const left = isId(excluded) ? undefined : others.find((path) => !excluded.some((each) => covers(each, path)));
  if (excluded.length > 0 && left !== undefined) {
    // The code says whether a path was left to compare it with.
    const code = excluded.some((path) => order(path) > order(left)) ? 7246209 : 7246210;
    throw refused(code, `'${left}' is another field of the index, and has to be excluded`);
  }
  const isMixed = included.length > 0 && excluded.length > 0;
  if (isMixed && !isId(included) && !isId(excluded)) throw refused(7246211, "it includes or excludes, but for '_id'");
}

function isId(side: readonly string[]): boolean {
  return side.length === 1 && side[0] === '_id';
}

/** As they stand: what is below an object is included by the name of the object, whatever is in it. */
function pathsOf(projection: BsonValue): { readonly included: string[]; readonly excluded: string[] } {
  const [included, excluded]: [string[], string[]] = [[], []];
  const cursor = new ElementCursor(projection.bytes, projection.offset);
  while (cursor.next()) (truthOf(cursor.value()) ? included : excluded).push(cursor.name);
  return { included: sorted(included), excluded: sorted(excluded) };
}

function sorted(paths: readonly string[]): string[] {
  return [...paths].sort((a, b) => (order(a) < order(b) ? -1 : 1));
}

/** Paths compare part by part. */
function order(path: string): string {
  return path.replaceAll('.', '\0');
}

function covers(outer: string, path: string): boolean {
  return `${path}.`.startsWith(`${outer}.`);
}

function refused(code: number, why: string): CommandError {
  return new CommandError(code, `'wildcardProjection' does not go with the key: ${why}`);
}

function checkPlain(projection: BsonValue): void {
  const cursor = new ElementCursor(projection.bytes, projection.offset);
  while (cursor.next()) {
    const value = cursor.value();
    if (value.type === BsonType.bool || isNumeric(value.type)) continue;
    if (value.type === BsonType.object && firstName(value)?.startsWith('$') !== true) checkPlain(value);
    else throw new CommandError(51271, `'wildcardProjection' computes nothing, and so not '${cursor.name}' either`);
  }
}
