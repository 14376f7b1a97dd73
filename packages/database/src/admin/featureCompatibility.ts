import { fieldSet, notSupported } from '@replsim/pipeline';
import { CommandError, decodeDocument, encodeDocument, required } from '@replsim/protocol';
import { type ReadView, StoredDocument } from '@replsim/storage';
import type { CommandDefinition } from '../definition.ts';
import type { MemberServices } from '../member.ts';
import { atOnce, ON_PRIMARY } from '../replies/atOnce.ts';

const fields = fieldSet('setFeatureCompatibilityVersion', 'confirm', 'downgradeOnDiskChanges', 'fromConfigServer');

const VERSION_NS = 'admin.system.version';
const FCV_ID = { _id: 'featureCompatibilityVersion' };
/** 7.0. */
const CONFIRMED_SINCE = 21;

/** What a release can be set to besides itself. Upstream: feature_compatibility_version_parser.h, kLastLTS and kLastContinuous. */
const EARLIER: Readonly<Record<string, readonly string[]>> = {
  '8.2': ['8.1', '8.0'],
  '8.0': ['7.3', '7.0'],
  '7.0': ['6.3', '6.0'],
  '6.0': ['5.3', '5.0'],
  '4.4': ['4.2'],
};

/**
 * `{ setFeatureCompatibilityVersion: "8.0", confirm: true }`, which is kept in `admin.system.version`. Simplification: it decides as
 * which release a member may be started next, and nothing else; on a standalone it is the release's own.
 * Errors: Location7369100 without `confirm` (from 7.0), Location4926900 for another version, CommandNotSupported 115 for an earlier one
 * on a standalone.
 * Upstream: set_feature_compatibility_version_command.cpp.
 */
export const setFeatureCompatibilityVersion: CommandDefinition = {
  name: 'setFeatureCompatibilityVersion',
  help: 'sets which release data and oplog must stay readable for',
  auth: { action: 'setFeatureCompatibilityVersion', resource: 'cluster' },
  api: 'none',
  ...ON_PRIMARY,
  adminOnly: true,
  run: atOnce(({ args, data, member, writes }) => {
    args.allow(fields);
    const wanted = args.requiredString('setFeatureCompatibilityVersion');
    args.bool('fromConfigServer');
    checkCompatibilityVersion(wanted, member);
    if (!args.bool('confirm') && member.traits.maxWireVersion >= CONFIRMED_SINCE) {
      throw new CommandError(
        7369100,
        "a change of the feature compatibility version cannot always be undone; add 'confirm: true' to carry it out",
      );
    }
    if (wanted === compatibilityVersionIn(data, member)) return {};
    const collection = data.collection(VERSION_NS);
    if (!collection) throw notSupported('a feature compatibility version below the release');
    const document = new StoredDocument(encodeDocument({ ...FCV_ID, version: wanted }));
    writes.update(
      collection,
      required(collection.findById(document.idKey), 'document of the version'),
      document,
      undefined,
    );
    return {};
  }),
};

/** Throws Location4926900 for what is no feature compatibility version of this release. */
export function checkCompatibilityVersion(wanted: string | undefined, member: Pick<MemberServices, 'traits'>): void {
  const version = compatibilityVersion(member);
  const known = [version, ...(EARLIER[version] ?? [])];
  if (wanted !== undefined && known.includes(wanted)) return;
  throw new CommandError(
    4926900,
    `Invalid feature compatibility version value '${wanted}'; expected one of ${known.join(', ')}`,
  );
}

/** What is in force: that which the set was last told, else the release's own. */
export function compatibilityVersionIn(data: ReadView, member: Pick<MemberServices, 'traits'>): string {
  return storedCompatibilityVersion(data) ?? compatibilityVersion(member);
}

function storedCompatibilityVersion(data: ReadView): string | undefined {
  const collection = data.collection(VERSION_NS);
  const recordId = collection?.findById(new StoredDocument(encodeDocument(FCV_ID)).idKey);
  const stored = recordId === undefined ? undefined : collection?.get(recordId);
  return stored && (decodeDocument(stored.bytes) as { version: string }).version;
}

/**
 * Throws BadValue for data of a feature compatibility version that this release cannot read: the process does not start.
 * Upstream: feature_compatibility_version.cpp, initializeForStartup; mongod_main.cpp, "Wrong mongod version" (exit code 62).
 */
export function checkStartableData(data: ReadView, member: Pick<MemberServices, 'traits'>): void {
  const stored = storedCompatibilityVersion(data);
  const own = compatibilityVersion(member);
  const known = [own, ...(EARLIER[own] ?? [])];
  if (stored === undefined || known.includes(stored)) return;
  throw new CommandError(
    'BadValue',
    `Wrong mongod version: UPGRADE PROBLEM: Found an invalid featureCompatibilityVersion document: version '${stored}' where ${own} ` +
      `knows ${known.join(', ')}; set it by setFeatureCompatibilityVersion under the release that last ran here`,
  );
}

/** "8.0" of "8.0.15". */
function compatibilityVersion({ traits }: Pick<MemberServices, 'traits'>): string {
  return traits.versionString.split('.').slice(0, 2).join('.');
}
