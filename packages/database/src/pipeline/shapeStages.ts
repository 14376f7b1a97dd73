/** Stages that make one document of each: what they do not touch stays as it lies. */
import {
  BsonType,
  type BsonValue,
  CommandError,
  ElementCursor,
  type ErrorCodeName,
  readString,
} from '@replsim/protocol';
import { elementsOf } from '../fields/fields.ts';
import { bytesOf, isNumeric, truthOf, typeName } from '../fields/values.ts';
import { compileComputed, type ExpressionWorld, isCall } from './expressions.ts';
import { applyTree, type FieldTree, newTree, plant } from './fieldTree.ts';
import { documentOf, type Stage } from './stages.ts';

type Shape = (document: Uint8Array) => Uint8Array;

/**
 * `$addFields`, `$set`. Errors: Location40177 for an empty one, 40180 for an empty object in it, those of expressions and paths.
 * Upstream: document_source_add_fields.cpp; add_fields_projection_executor.cpp, ProjectionSpecValidator.
 */
export function addFieldsStage(stage: Stage, world: ExpressionWorld): Shape {
  const tree = newTree();
  const bytes = documentOf(stage);
  if (bytes.length === 5) {
    const errmsg = `Invalid ${stage.name} :: caused by :: specification must have at least one field`;
    throw new CommandError(40177, errmsg);
  }
  plantComputed(tree, '', bytes, 0, world);
  return (document) => applyTree(tree, document, true);
}

/** `{ $unset: path | [paths] }`. Errors: Location31002, 31119, 31120. Upstream: document_source_project.cpp. */
export function unsetStage({ spec }: Stage): Shape {
  const paths = spec.type === BsonType.array ? elementsOf(spec) : [spec];
  if (paths.length === 0)
    throw new CommandError(31119, '$unset specification must be a string or an array with at least one field');
  const tree = newTree();
  for (const path of paths) {
    if (path.type !== BsonType.string) {
      const code = spec.type === BsonType.array ? 31120 : 31002;
      throw new CommandError(code, '$unset specification must be a string or an array containing only string values');
    }
    plant(tree, readString(path), { kind: 'exclude' });
  }
  return (document) => applyTree(tree, document, true);
}

/**
 * `$project`: an inclusion with `_id` unless it says otherwise, or an exclusion. Errors: Location51272 for an empty one, 31253
 * and 31254 for a mixture, 31252 for an expression in an exclusion, 51270, 31324 for `a.$`. Upstream: projection_parser.cpp.
 */
export function projectStage(stage: Stage, world: ExpressionWorld): Shape {
  const bytes = documentOf(stage);
  if (bytes.length === 5) {
    throw invalidProject(51272, 'projection specification must have at least one field');
  }
  const parser = new Projection(world);
  parser.take('', bytes, 0);
  const { tree, isInclusion } = parser.end();
  return (document) => applyTree(tree, document, !isInclusion);
}

/** `$replaceRoot`, `$replaceWith`. Errors: Location40228, 40231. Upstream: document_source_replace_root.cpp. */
export function replaceRootStage(stage: Stage, world: ExpressionWorld): Shape {
  const expression = compileComputed(stage.name === '$replaceWith' ? stage.spec : newRootOf(stage), world);
  return (document) => {
    const root = expression(document);
    if (root?.type === BsonType.object) return bytesOf(root);
    const type = root ? typeName(root.type) : 'missing';
    throw new CommandError(
      40228,
      `'newRoot' expression of ${stage.name} must evaluate to an object, but resulting value was of type ${type}`,
    );
  };
}

function newRootOf(stage: Stage): BsonValue {
  const cursor = new ElementCursor(documentOf(stage));
  let root: BsonValue | undefined;
  while (cursor.next()) {
    if (cursor.name !== 'newRoot')
      throw new CommandError(40230, `unrecognized option to $replaceRoot stage: ${cursor.name}`);
    root = cursor.value();
  }
  if (!root) throw new CommandError(40231, 'no newRoot specified for the $replaceRoot stage');
  return root;
}

/** The fields of a specification; an object that is no call says more of the fields below. */
function plantComputed(
  tree: FieldTree,
  prefix: string,
  bytes: Uint8Array,
  start: number,
  world: ExpressionWorld,
): void {
  const cursor = new ElementCursor(bytes, start);
  while (cursor.next()) {
    const path = prefix + cursor.name;
    const value = cursor.value();
    const isNested = value.type === BsonType.object && !isCall(value);
    if (isNested && value.size === 5) {
      throw new CommandError(40180, `an empty object is not a valid value. Found empty object at path ${path}`);
    }
    if (isNested) plantComputed(tree, `${path}.`, value.bytes, value.offset, world);
    else plant(tree, path, { kind: 'compute', expression: compileComputed(value, world) });
  }
}

function isMeta(value: BsonValue): boolean {
  return firstNameOf(value) === '$meta';
}

function firstNameOf({ type, bytes, offset }: BsonValue): string | undefined {
  if (type !== BsonType.object) return undefined;
  const cursor = new ElementCursor(bytes, offset);
  return cursor.next() ? cursor.name : undefined;
}

/** A path that names the element which a query matched. Upstream: projection_parser.cpp, findFirstPositionalOperator. */
const POSITIONAL = /(^|\.)\$$|\.\$\./;

function invalidProject(code: ErrorCodeName | number, errmsg: string): CommandError {
  return new CommandError(code, `Invalid $project :: caused by :: ${errmsg}`);
}

/** A `$project` being read. */
class Projection {
  readonly #world: ExpressionWorld;
  readonly #tree = newTree();
  /** What the first field but `_id` made of it. */
  #isInclusion: boolean | undefined;
  #includesId: boolean | undefined;
  #hasMeta = false;

  constructor(world: ExpressionWorld) {
    this.#world = world;
  }

  take(prefix: string, bytes: Uint8Array, start: number): void {
    const cursor = new ElementCursor(bytes, start);
    while (cursor.next()) {
      if (POSITIONAL.test(cursor.name)) {
        throw invalidProject(31324, `Cannot use positional projection in aggregation projection: ${cursor.name}`);
      }
      if (prefix !== '' && cursor.name.includes('.')) {
        throw invalidProject(40181, `cannot use dotted field name '${cursor.name}' in a sub object`);
      }
      this.#field(prefix + cursor.name, cursor.value());
    }
  }

  end(): { readonly tree: FieldTree; readonly isInclusion: boolean } {
    const isInclusion = this.#isInclusion ?? (this.#hasMeta || this.#includesId === true);
    const { children } = this.#tree;
    if (isInclusion && !children.has('_id')) children.set('_id', { kind: 'include' });
    return { tree: this.#tree, isInclusion };
  }

  #field(path: string, value: BsonValue): void {
    if (value.type === BsonType.bool || isNumeric(value.type)) {
      const included = truthOf(value);
      if (path === '_id') this.#includesId = included;
      else this.#is(included, path);
      plant(this.#tree, path, { kind: included ? 'include' : 'exclude' });
    } else if (value.type === BsonType.object && !isCall(value)) {
      if (value.size === 5) {
        const errmsg = `An empty sub-projection is not a valid value. Found empty object at path: ${path}`;
        throw invalidProject(51270, errmsg);
      }
      this.take(`${path}.`, value.bytes, value.offset);
    } else {
      if (this.#isInclusion === false && !isMeta(value)) {
        throw invalidProject(31252, `Cannot use an expression in an exclusion projection: ${path}`);
      }
      // How well a document fits a search goes with either kind; alone it is an inclusion.
      if (isMeta(value)) this.#hasMeta = true;
      else this.#isInclusion = true;
      plant(this.#tree, path, { kind: 'compute', expression: this.#expression(value) });
    }
  }

  /** Errors: InvalidPipelineOperator 168 for what only a find projects, Location31325 for an operator that nobody knows. */
  #expression(value: BsonValue) {
    if (firstNameOf(value) === '$elemMatch') {
      throw invalidProject('InvalidPipelineOperator', 'Cannot use $elemMatch in this context');
    }
    try {
      return compileComputed(value, this.#world);
    } catch (error) {
      if (!(error instanceof CommandError) || error.codeName !== 'InvalidPipelineOperator') throw error;
      throw invalidProject(31325, error.message);
    }
  }

  #is(included: boolean, path: string): void {
    this.#isInclusion ??= included;
    if (this.#isInclusion === included) return;
    throw included
      ? invalidProject(31253, `Cannot do inclusion on field ${path} in exclusion projection`)
      : invalidProject(31254, `Cannot do exclusion on field ${path} in inclusion projection`);
  }
}
