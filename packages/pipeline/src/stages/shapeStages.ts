/** Stages that make one document of each: what they do not touch stays as it lies. */
import { BsonType, type BsonValue, BsonWriter, CommandError, ElementCursor, readString } from '@replsim/protocol';
import { compileAdditions, compileStageProjection } from '@replsim/query';
import { isEmptyDocument } from '../fields/documents.ts';
import { elementsOf } from '../fields/fields.ts';
import { bytesOf, typeName } from '../fields/values.ts';
import { compileComputed, type ExpressionWorld } from './expressions.ts';
import { documentOf, type Stage } from './stages.ts';

type Shape = (document: Uint8Array) => Uint8Array;

/** `$addFields`, `$set`. Errors: those of `compileAdditions`. Upstream: document_source_add_fields.cpp. */
export function addFieldsStage(stage: Stage, world: ExpressionWorld): Shape {
  const additions = documentOf(stage);
  return inStage(stage, () => compileAdditions(additions, contextOf(world)));
}

/** `{ $unset: path | [paths] }`. Errors: Location31002, 31119, 31120, those of `$project`. Upstream: document_source_project.cpp. */
export function unsetStage(stage: Stage): Shape {
  const { spec } = stage;
  const paths = spec.type === BsonType.array ? elementsOf(spec) : [spec];
  if (paths.length === 0)
    throw new CommandError(31119, '$unset specification must be a string or an array with at least one field');
  const exclusion = new BsonWriter();
  for (const path of paths) {
    if (path.type !== BsonType.string) {
      const code = spec.type === BsonType.array ? 31120 : 31002;
      throw new CommandError(code, '$unset specification must be a string or an array containing only string values');
    }
    exclusion.int32(readString(path), 0);
  }
  return inStage(stage, () => compileStageProjection(exclusion.finish()));
}

/** `$project`. Errors: Location51272 for an empty one, those of `compileStageProjection`. Upstream: document_source_project.cpp. */
export function projectStage(stage: Stage, world: ExpressionWorld): Shape {
  const projection = documentOf(stage);
  return inStage(stage, () => {
    if (isEmptyDocument(projection)) {
      throw new CommandError(51272, 'projection specification must have at least one field');
    }
    return compileStageProjection(projection, contextOf(world));
  });
}

function contextOf({ filterVariables, collator }: ExpressionWorld) {
  return { variables: filterVariables, collator };
}

/** What is wrong with a specification is said with the stage's name. */
function inStage({ name }: Stage, compile: () => Shape): Shape {
  try {
    return compile();
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(error.code, `Invalid ${name} :: caused by :: ${error.message}`, error.extra);
  }
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
