import { BsonType, CommandError, decodeDocument, decodePromoted, encodeDocument } from '@replsim/protocol';
import { type ReadView, StoredDocument } from '@replsim/storage';
import { Timestamp } from 'bson';
import { Fields } from '../fields/fields.ts';
import { INT32_MAX, int64Of, isNumeric } from '../fields/values.ts';
import type { Reply } from '../reply.ts';

/** Where they lie for all members, replicated like any document. Upstream: kClusterParametersNamespace. */
export const CLUSTER_PARAMETERS_NS = 'config.clusterParameters';
const DEFAULT_MAX_TIME_MS = 'defaultMaxTimeMS';

interface ClusterParameter {
  readonly sinceWireVersion: number;
  readonly default: Reply;
  /** The value as it is kept. Throws BadValue 2, TypeMismatch 14, IDLUnknownField 40415. */
  readonly parse: (fields: Fields) => Reply;
}

/** Those that mean something on a replica set. Upstream: change_stream_options.idl, default_max_time_ms_cluster_parameter.idl. */
const parameters: ReadonlyMap<string, ClusterParameter> = new Map([
  [
    'changeStreamOptions',
    {
      sinceWireVersion: 17,
      default: { preAndPostImages: { expireAfterSeconds: 'off' } },
      parse: changeStreamOptions,
    },
  ],
  [DEFAULT_MAX_TIME_MS, { sinceWireVersion: 25, default: { readOperations: 0n }, parse: defaultMaxTimeMS }],
]);

/** The names that a release knows, sorted. */
export function clusterParameterNames(maxWireVersion: number): readonly string[] {
  return [...parameters].filter(([, { sinceWireVersion }]) => sinceWireVersion <= maxWireVersion).map(([name]) => name);
}

/** One of them, `{ _id, clusterParameterTime, … }`. Throws NoSuchKey 4. */
export function clusterParameter(view: ReadView, name: string, maxWireVersion: number): Reply {
  const { default: initial } = known(name, maxWireVersion);
  const stored = storedBytes(view, name);
  return stored
    ? decodeDocument(stored)
    : { _id: name, clusterParameterTime: new Timestamp({ t: 0, i: 0 }), ...initial };
}

/** The document that keeps a new value. Throws NoSuchKey 4, and what the parameter says of its value. */
export function newClusterParameter(
  name: string,
  value: Uint8Array,
  clusterParameterTime: Timestamp,
  maxWireVersion: number,
): StoredDocument {
  const { default: initial, parse } = known(name, maxWireVersion);
  const given = parse(new Fields(value, name));
  return new StoredDocument(encodeDocument({ _id: name, clusterParameterTime, ...initial, ...given }));
}

/** How long a read may take that says nothing of it; 0, the default: for ever. Unit: ms. */
export function defaultReadMaxTimeMS(view: ReadView): number {
  const stored = storedBytes(view, DEFAULT_MAX_TIME_MS);
  return stored ? Number(decodePromoted(stored).readOperations) : 0;
}

function storedBytes(view: ReadView, name: string): Uint8Array | undefined {
  const collection = view.collection(CLUSTER_PARAMETERS_NS);
  const recordId = collection?.findById(new StoredDocument(encodeDocument({ _id: name })).idKey);
  return recordId === undefined ? undefined : collection?.get(recordId)?.bytes;
}

function known(name: string, maxWireVersion: number): ClusterParameter {
  const parameter = parameters.get(name);
  if (parameter && parameter.sinceWireVersion <= maxWireVersion) return parameter;
  throw new CommandError('NoSuchKey', `Unknown server parameter: ${name}`);
}

/** Upstream: change_stream_options_parameter.cpp. */
function changeStreamOptions(fields: Fields): Reply {
  fields.allow(new Set(['preAndPostImages']));
  const images = new Fields(fields.requiredDocument('preAndPostImages'), 'changeStreamOptions.preAndPostImages');
  images.allow(new Set(['expireAfterSeconds']));
  const value = images.value('expireAfterSeconds') ?? images.missing('expireAfterSeconds');
  if (!isNumeric(value.type)) {
    const isOff = value.type === BsonType.string && images.string('expireAfterSeconds') === 'off';
    if (isOff) return { preAndPostImages: { expireAfterSeconds: 'off' } };
    throw new CommandError('BadValue', "Non-numeric value of 'expireAfterSeconds' should be 'off'");
  }
  const seconds = int64Of(value);
  if (seconds > 0n) return { preAndPostImages: { expireAfterSeconds: seconds } };
  throw new CommandError('BadValue', "Numeric value of 'expireAfterSeconds' should be positive");
}

function defaultMaxTimeMS(fields: Fields): Reply {
  fields.allow(new Set(['readOperations']));
  const readOperations = fields.int64('readOperations');
  if (readOperations === undefined) return {};
  if (readOperations >= 0n && readOperations <= INT32_MAX) return { readOperations };
  throw new CommandError('BadValue', `defaultMaxTimeMS.readOperations has to be from 0 to ${INT32_MAX}`);
}
