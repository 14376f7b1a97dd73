import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { UnknownVersionError } from './errors.ts';

/** mongodb-memory-server 11 downloads an 8.2 by default. Upstream: util/resolveConfig.ts. */
export const DEFAULT_RELEASE: MongodVersion = '8.2';

/** The oldest release that replaces versions which are not imitated: 3.2 has neither sessions nor transactions. */
const EARLIEST_MODERN = 4.4;
/** 5.0 to 5.3 have the default write concern and the time series of 6.0. */
const STANDS_FOR_5: MongodVersion = '6.0';

/** Newest first. */
const RELEASES = (Object.keys(VERSIONS) as MongodVersion[]).sort((a, b) => Number(b) - Number(a));

/** The release that is imitated for a requested version. */
export interface Release {
  readonly release: MongodVersion;
  /** False if another release replaces the requested one. */
  readonly exact: boolean;
  /** The requested version's own name for a member's delay. Upstream: member_config.idl. */
  readonly delayField: 'secondaryDelaySecs' | 'slaveDelay';
}

/**
 * Returns the release to imitate for a version of mongodb-memory-server: the same one, or else the next older one that replsim
 * imitates; 4.4 for older versions, and 6.0 for 5.x.
 * @param version `8.0.4`, `v7.0-latest`, `8`; `latest`
 * @throws UnknownVersionError
 */
export function releaseOf(version: string): Release {
  if (version === 'latest') return { release: RELEASES[0]!, exact: true, delayField: 'secondaryDelaySecs' };
  const [, major, minor = '0'] = /(?:^|\D)(\d+)(?:\.(\d+))?/.exec(version) ?? [];
  if (major === undefined) throw new UnknownVersionError(version);
  const delayField = Number(major) < 5 ? 'slaveDelay' : 'secondaryDelaySecs';
  const own = RELEASES.find((release) => release === `${major}.${minor}`);
  if (own !== undefined) return { release: own, exact: true, delayField };
  if (Number(major) === 5) return { release: STANDS_FOR_5, exact: false, delayField };
  const isBelow = (release: MongodVersion) => {
    const [releaseMajor = 0, releaseMinor = 0] = release.split('.').map(Number);
    return releaseMajor < Number(major) || (releaseMajor === Number(major) && releaseMinor < Number(minor));
  };
  const modern = RELEASES.filter((release) => Number(release) >= EARLIEST_MODERN);
  return { release: modern.find(isBelow) ?? modern.at(-1)!, exact: false, delayField };
}
