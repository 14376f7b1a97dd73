import { bytesOf, elementsOf, Fields, parseStages, type Stage } from '@replsim/pipeline';
import { BsonType, type BsonValue, CommandError, readString } from '@replsim/protocol';
import { checkFieldPath, checkVariableName } from '@replsim/query';
import { checkedTarget, type Target } from './outStage.ts';

/** A `$merge`, parsed. */
export interface Merge {
  readonly target: Target;
  /** By which documents are found again; undefined: by `_id`. */
  readonly on: readonly string[];
  readonly whenMatched: 'replace' | 'keepExisting' | 'merge' | 'fail' | readonly Stage[];
  readonly whenNotMatched: 'insert' | 'discard' | 'fail';
  /** What the pipeline of `whenMatched` knows besides `new`. */
  readonly variables: Uint8Array | undefined;
}

const mergeFields = new Set(['into', 'on', 'let', 'whenMatched', 'whenNotMatched']);
/** Stages that may change a document that is there. Upstream: document_source_merge_spec.cpp. */
const ofUpdates: ReadonlySet<string> = new Set([
  '$addFields',
  '$set',
  '$project',
  '$unset',
  '$replaceRoot',
  '$replaceWith',
]);

/**
 * `{ $merge: coll | { into, on?, let?, whenMatched?, whenNotMatched? } }`. Errors: Location51182, 51178 for what `into` is,
 * 51134, 51186, 51187 and 31465 for `on`, FailedToParse 9 for an unknown mode, Location51181 for modes that do not go together,
 * 51273 for `let`, 51199 for one without a pipeline, 40415. Upstream: document_source_merge.cpp, document_source_merge_spec.cpp.
 */
export function parseMerge({ spec }: Stage, db: string): Merge {
  if (spec.type === BsonType.string) {
    const target = checkedTarget({ db, collection: readString(spec) }, '$merge');
    return { target, on: ['_id'], whenMatched: 'merge', whenNotMatched: 'insert', variables: undefined };
  }
  if (spec.type !== BsonType.object)
    throw new CommandError(51182, '$merge takes the name of a collection or an object');
  const fields = new Fields(bytesOf(spec), '$merge');
  fields.allow(mergeFields);
  const target = checkedTarget(targetOf(fields.value('into') ?? fields.missing('into'), db), '$merge');
  const whenMatched = matchedOf(fields.value('whenMatched'));
  const whenNotMatched = notMatchedOf(fields.string('whenNotMatched') ?? 'insert');
  const variables = fields.document('let');
  if (variables) checkVariables(new Fields(variables, 'let'));
  if (variables && typeof whenMatched === 'string') {
    throw new CommandError(51199, 'let of $merge goes only with a whenMatched that is a pipeline');
  }
  if ((whenMatched === 'keepExisting' || whenMatched === 'fail') && whenNotMatched !== 'insert') {
    throw new CommandError(
      51181,
      `whenMatched: ${whenMatched} of $merge goes only with whenNotMatched: insert, not ${whenNotMatched}`,
    );
  }
  return { target, on: onOf(fields.value('on')), whenMatched, whenNotMatched, variables };
}

/** Errors: FailedToParse 9, Location51273 for another `new` than the document. */
function checkVariables(fields: Fields): void {
  for (const name of fields.names) checkVariableName(name);
  const document = fields.rawValue('new');
  if (!document || (document.type === BsonType.string && readString(document) === '$$ROOT')) return;
  throw new CommandError(51273, "let of $merge may give 'new' no other value than '$$ROOT'");
}

function targetOf(into: BsonValue, db: string): Target {
  if (into.type === BsonType.string) return { db, collection: readString(into) };
  if (into.type !== BsonType.object) {
    throw new CommandError(51178, 'into of $merge must be the name of a collection or { db, coll }');
  }
  const fields = new Fields(bytesOf(into), '$merge.into');
  fields.allow(new Set(['db', 'coll']));
  return { db: fields.string('db') ?? db, collection: fields.requiredString('coll') };
}

function onOf(on: BsonValue | undefined): string[] {
  if (!on) return ['_id'];
  const values = on.type === BsonType.array ? elementsOf(on) : [on];
  if (values.length === 0) throw new CommandError(51187, 'on of $merge names no field; leave it out to match by _id');
  if (values.some(({ type }) => type !== BsonType.string)) {
    throw new CommandError(
      on.type === BsonType.array ? 51134 : 51186,
      'on of $merge must be the name of a field or an array of names',
    );
  }
  const paths = values.map(readString);
  for (const [i, path] of paths.entries()) {
    checkFieldPath(path);
    if (paths.indexOf(path) < i) throw new CommandError(31465, `on of $merge names '${path}' twice`);
  }
  return paths;
}

function matchedOf(value: BsonValue | undefined): Merge['whenMatched'] {
  if (!value) return 'merge';
  if (value.type === BsonType.array) {
    const stages = parseStages(elementsOf(value));
    const wrong = stages.find(({ name }) => !ofUpdates.has(name));
    if (wrong) throw new CommandError('InvalidOptions', `${wrong.name} cannot be a stage of an update`);
    return stages;
  }
  const mode = value.type === BsonType.string ? readString(value) : '';
  if (mode === 'replace' || mode === 'keepExisting' || mode === 'merge' || mode === 'fail') return mode;
  throw new CommandError(
    'BadValue',
    `whenMatched of $merge must be replace, keepExisting, merge, fail or a pipeline, not '${mode}'`,
  );
}

function notMatchedOf(mode: string): Merge['whenNotMatched'] {
  if (mode === 'insert' || mode === 'discard' || mode === 'fail') return mode;
  throw new CommandError('BadValue', `whenNotMatched of $merge must be insert, discard or fail, not '${mode}'`);
}
