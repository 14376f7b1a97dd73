import { CommandError } from '@replsim/protocol';
import { notSupported } from '../catalog/notSupported.ts';
import type { CommandDefinition } from '../definition.ts';
import { fieldSet } from '../fields/arguments.ts';
import type { MemberServices } from '../member.ts';
import { atOnce, ON_PRIMARY } from '../replies/atOnce.ts';

const fields = fieldSet('setFeatureCompatibilityVersion', 'confirm', 'downgradeOnDiskChanges', 'fromConfigServer');

/** What a release can be set to besides itself. Upstream: feature_compatibility_version_parser.h, kLastLTS and kLastContinuous. */
const EARLIER: Readonly<Record<string, readonly string[]>> = {
  '8.2': ['8.1', '8.0'],
  '8.0': ['7.3', '7.0'],
  '7.0': ['6.3', '6.0'],
};

/**
 * `{ setFeatureCompatibilityVersion: "8.0", confirm: true }`. Simplification: a member always has its own release's, so that this
 * changes nothing.
 * Errors: Location7369100 without `confirm`, Location4926900 for another version, CommandNotSupported 115 for an earlier one.
 * Upstream: set_feature_compatibility_version_command.cpp.
 */
export const setFeatureCompatibilityVersion: CommandDefinition = {
  name: 'setFeatureCompatibilityVersion',
  help: 'sets which release data and oplog must stay readable for',
  auth: { action: 'setFeatureCompatibilityVersion', resource: 'cluster' },
  api: 'none',
  ...ON_PRIMARY,
  adminOnly: true,
  run: atOnce(({ args, member }) => {
    args.allow(fields);
    const wanted = args.requiredString('setFeatureCompatibilityVersion');
    const version = compatibilityVersion(member);
    checkCompatibilityVersion(wanted, member);
    if (!args.bool('confirm')) {
      throw new CommandError(
        7369100,
        "a change of the feature compatibility version cannot always be undone; add 'confirm: true' to carry it out",
      );
    }
    if (wanted !== version) throw notSupported('a feature compatibility version below the release');
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
    `'${wanted}' is no feature compatibility version here: one of ${known.join(', ')} is`,
  );
}

/** "8.0" of "8.0.15". */
export function compatibilityVersion({ traits }: Pick<MemberServices, 'traits'>): string {
  return traits.versionString.split('.').slice(0, 2).join('.');
}
