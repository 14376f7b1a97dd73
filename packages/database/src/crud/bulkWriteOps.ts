import {
  type CommandArguments,
  checkWritableName,
  collectionUuidOf,
  Fields,
  splitNs,
  type WriteTarget,
} from '@replsim/pipeline';
import { BsonWriter, CommandError, type VersionTraits } from '@replsim/protocol';
import { checkDeleteShape } from './delete.ts';
import { checkUpdateShape } from './updateStatement.ts';

/** One entry of `ops`, in the words of the command that does the same alone. */
export type BulkOp = { readonly target: WriteTarget } & (
  | { readonly kind: 'insert'; readonly document: Uint8Array }
  /** An entry of `updates`, or of `deletes`. */
  | { readonly kind: 'update' | 'delete'; readonly statement: Fields }
);

type Kind = BulkOp['kind'];

/** What the fields of each kind are called in a statement of its own command; undefined for what it has no need of. */
const renamed: Readonly<Record<Kind, Readonly<Record<string, string | undefined>>>> = {
  insert: { insert: undefined, document: undefined },
  update: {
    update: undefined,
    filter: 'q',
    updateMods: 'u',
    constants: 'c',
    multi: 'multi',
    upsert: 'upsert',
    upsertSupplied: 'upsertSupplied',
    arrayFilters: 'arrayFilters',
    hint: 'hint',
    collation: 'collation',
    sort: 'sort',
    sampleId: 'sampleId',
  },
  delete: {
    delete: undefined,
    filter: 'q',
    multi: undefined,
    hint: 'hint',
    collation: 'collation',
    sampleId: 'sampleId',
  },
};

const allowed: Readonly<Record<Kind, ReadonlySet<string>>> = {
  insert: new Set(Object.keys(renamed.insert)),
  update: new Set(Object.keys(renamed.update)),
  delete: new Set(Object.keys(renamed.delete)),
};

const nsInfoFields = new Set(['ns', 'collectionUUID', 'encryptionInformation', 'isTimeseriesNamespace']);

/**
 * What `nsInfo` names. Errors: InvalidNamespace 73, those of `Fields`.
 * Upstream: bulk_write_common.cpp, validateRequest.
 */
export function targetsOf(args: CommandArguments): WriteTarget[] {
  return args.requiredDocuments('nsInfo').map((bytes) => {
    const info = new Fields(bytes, 'bulkWrite.nsInfo');
    info.allow(nsInfoFields);
    const ns = info.requiredString('ns');
    checkWritableName(...splitNs(ns));
    return { ns, uuid: collectionUuidOf(info) };
  });
}

/**
 * Reads one entry of `ops`. Errors, which are the whole command's: FailedToParse 9 for a kind that there is not, BadValue 2
 * for a namespace that there is not, those of `Fields` and of single statements. Upstream: bulk_write_parser.cpp.
 */
export function parseBulkOp(bytes: Uint8Array, targets: readonly WriteTarget[], traits: VersionTraits): BulkOp {
  const fields = new Fields(bytes, 'bulkWrite.ops');
  const [kind] = fields.names;
  if (!isKind(kind)) {
    throw new CommandError('FailedToParse', `an entry of ops begins with insert, update or delete, not ${kind}`);
  }
  fields.allow(allowed[kind]);
  const place = fields.int32(kind);
  const target = targets[place ?? -1];
  if (target === undefined) {
    throw new CommandError('BadValue', `an entry of ops names place ${place} of nsInfo, which is not there`);
  }
  if (kind === 'insert') return { kind, target, document: fields.requiredDocument('document') };
  fields.requiredDocument('filter');
  if (kind === 'update' && !fields.value('updateMods')) fields.missing('updateMods');
  const statement = asStatement(kind, fields);
  if (kind === 'update') checkUpdateShape(statement, traits);
  else checkDeleteShape(statement);
  return { kind, target, statement };
}

function isKind(name: string | undefined): name is Kind {
  return name !== undefined && Object.hasOwn(renamed, name);
}

function asStatement(kind: 'update' | 'delete', fields: Fields): Fields {
  const writer = new BsonWriter(fields.bytes.length + 32);
  for (const name of fields.names) {
    const own = renamed[kind][name];
    if (own !== undefined) writer.rawValue(own, fields.presentValue(name));
  }
  if (kind === 'delete') writer.int32('limit', fields.strictBool('multi') ? 0 : 1);
  return new Fields(writer.finish(), 'bulkWrite.ops');
}
