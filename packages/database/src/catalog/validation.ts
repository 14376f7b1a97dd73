import { bytesOf, collatorOf, type Reply } from '@replsim/pipeline';
import {
  BsonType,
  CommandError,
  encodeDocument,
  encodeName,
  findField,
  RawBson,
  RawValue,
  readString,
  requiredField,
} from '@replsim/protocol';
import { type Collator, compileFilter, explainFailure, type Filter } from '@replsim/query';
import type { CollectionView } from '@replsim/storage';
import type { MemberServices } from '../member.ts';

/** How a collection judges documents. */
interface Validation {
  readonly filter: Uint8Array;
  /** False also if that cannot be told, as an expression throws. */
  readonly matches: Filter;
  readonly collator: Collator | undefined;
  readonly level: string;
  readonly action: string;
}

/** By the options that say so, which are new bytes when they change; undefined for a collection that takes anything. */
const known = new WeakMap<Uint8Array, Validation | undefined>();

const ID = encodeName('_id');
const VALIDATOR = encodeName('validator');
const LEVEL = encodeName('validationLevel');
const ACTION = encodeName('validationAction');
/** From 5.0 on the error has `errInfo`. Source: its release notes, "Improved error messages". */
const ERR_INFO_WIRE_VERSION = 13;

/**
 * Judges a document that is about to be written by the validator of its collection. At the level `moderate` a document that
 * was not valid before may stay so; the action `warn` lets it pass with a line in the log.
 * Throws DocumentValidationFailure 121 with `errInfo: { failingDocumentId, details }`.
 * Upstream: collection_impl.cpp, checkValidation and _updateDocument.
 * @param before what it was, for an update
 */
export function checkValid(
  member: MemberServices,
  { ns, options }: Pick<CollectionView, 'ns' | 'options'>,
  document: Uint8Array,
  before?: Uint8Array,
): void {
  const validation = validationOf(options);
  if (!validation || validation.matches(document)) return;
  if (before && validation.level === 'moderate' && !validation.matches(before)) return;
  const errInfo = {
    failingDocumentId: new RawValue(requiredField(document, ID)),
    details: explainFailure(validation.filter, document, { collator: validation.collator }),
  };
  if (validation.action === 'warn') {
    const attr = { namespace: ns, document: new RawBson(document), errInfo: new RawBson(encodeDocument(errInfo)) };
    member.log('W', 'STORAGE', 20294, 'Document would fail validation', attr);
    return;
  }
  const extra: Reply = member.traits.maxWireVersion >= ERR_INFO_WIRE_VERSION ? { errInfo } : {};
  throw new CommandError('DocumentValidationFailure', 'Document failed validation', extra);
}

/** Whether a stored document is one that could be written now: the validator may be younger than it. */
export function isValid({ options }: Pick<CollectionView, 'options'>, document: Uint8Array): boolean {
  return validationOf(options)?.matches(document) ?? true;
}

function validationOf(options: Uint8Array): Validation | undefined {
  if (known.has(options)) return known.get(options);
  const validation = readValidation(options);
  known.set(options, validation);
  return validation;
}

function readValidation(options: Uint8Array): Validation | undefined {
  const validator = findField(options, VALIDATOR);
  const level = textAt(options, LEVEL) ?? 'strict';
  if (validator?.type !== BsonType.object || level === 'off') return undefined;
  const filter = bytesOf(validator);
  const collator = collatorOf(options);
  return {
    filter,
    matches: orNot(compileFilter(filter, { collator })),
    collator,
    level,
    action: textAt(options, ACTION) ?? 'error',
  };
}

/** A document of which a validator cannot tell is not valid. Upstream: collection_impl.cpp, checkValidation. */
function orNot(matches: Filter): Filter {
  return (document) => {
    try {
      return matches(document);
    } catch (error) {
      if (error instanceof CommandError) return false;
      throw error;
    }
  };
}

function textAt(options: Uint8Array, name: Uint8Array): string | undefined {
  const value = findField(options, name);
  return value && readString(value);
}
