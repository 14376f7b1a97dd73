import { MAX_BSON_OBJECT_SIZE, type Reply } from '@replsim/pipeline';
import { CommandError, encodeName, RawValue, required, requiredField } from '@replsim/protocol';
import {
  type CollectionView,
  duplicateRecords,
  type IndexOptionChange,
  type IndexSpec,
  type IndexView,
} from '@replsim/storage';

/** What a request says of it. */
export interface UniqueRequest {
  readonly unique: boolean | undefined;
  readonly prepareUnique: boolean | undefined;
  readonly forceNonUnique: boolean | undefined;
}

/** What of a change makes an index unique, or ends that. */
type UniqueChange = Pick<IndexOptionChange, 'unique' | 'prepareUnique' | 'forceNonUnique'>;

/**
 * What there is to do, asking for what holds already being nothing. Errors: BadValue 2 for `unique: false` and
 * `forceNonUnique: false`; InvalidOptions 72 for what was not prepared, and for `prepareUnique` in company.
 * Upstream: coll_mod.cpp, parseCollModRequest.
 * @param asked how many changes the whole request asks for
 */
export function uniqueChange(request: UniqueRequest, spec: IndexSpec, asked: number): UniqueChange {
  const { unique, prepareUnique, forceNonUnique } = request;
  if (unique === false) throw new CommandError('BadValue', "an index is made non-unique by 'forceNonUnique' alone");
  const converts = unique === true && !spec.unique;
  if (converts && !spec.prepareUnique) {
    throw new CommandError('InvalidOptions', `${spec.name} becomes unique only after collMod of 'prepareUnique: true'`);
  }
  if (forceNonUnique === false) throw new CommandError('BadValue', "'forceNonUnique' cannot be false");
  const prepares = prepareUnique !== undefined && prepareUnique !== spec.prepareUnique && !spec.unique;
  if (prepares && asked > 1) throw new CommandError('InvalidOptions', "'prepareUnique' stands alone in its collMod");
  return {
    ...(converts && { unique: true }),
    ...(prepares && { prepareUnique }),
    ...(forceNonUnique && spec.unique && { forceNonUnique }),
  };
}

/**
 * Whether no two documents share a key. Throws CannotConvertIndexToUnique 359 with `violations: [{ ids }]`, as many as fit in
 * 8 MB and at least one. Upstream: coll_mod_index.cpp, buildConvertUniqueErrorStatus.
 */
export function checkConvertible(collection: CollectionView, index: IndexView): void {
  const violations: { readonly ids: readonly RawValue[] }[] = [];
  const groups = duplicateRecords(index);
  if (groups.length === 0) return;
  let size = 0;
  for (const group of groups) {
    const ids: RawValue[] = [];
    for (const recordId of [...new Set(group)].sort((a, b) => a - b)) {
      const document = required(collection.get(recordId), 'document of an index entry');
      const id = requiredField(document.bytes, ID);
      size += ID_FIELD_SIZE + id.size;
      const isFirst = violations.length === 0 && ids.length === 0;
      const fits = size <= MAX_BSON_OBJECT_SIZE / 2;
      if (fits || isFirst) ids.push(new RawValue(id));
      if (!fits) throw cannotConvert(index, ids.length > 0 ? [...violations, { ids }] : violations, 'these and more');
    }
    violations.push({ ids });
  }
  throw cannotConvert(index, violations, 'these');
}

const ID = encodeName('_id');
/** The type, the name and its end. Unit: bytes. */
const ID_FIELD_SIZE = 5;

function cannotConvert({ spec }: IndexView, violations: readonly Reply[], which: string): CommandError {
  const errmsg = `${spec.name} cannot become unique: documents share keys, ${which}; change or delete them and try again`;
  return new CommandError('CannotConvertIndexToUnique', errmsg, { violations });
}

/** What was done, as the reply tells it. */
export function uniqueReply(old: IndexSpec, { unique, prepareUnique, forceNonUnique }: UniqueChange): Reply {
  return {
    ...(unique && { unique_new: true }),
    ...(prepareUnique !== undefined && { prepareUnique_old: old.prepareUnique, prepareUnique_new: prepareUnique }),
    ...(forceNonUnique && { forceNonUnique_new: true }),
  };
}
