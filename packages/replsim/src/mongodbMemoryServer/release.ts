import { type MongodVersion, VERSIONS } from '@replsim/protocol';
import { UnknownVersionError } from './errors.ts';

/** What mongodb-memory-server 11 downloads where nobody says otherwise is an 8.2. Upstream: util/resolveConfig.ts. */
export const DEFAULT_RELEASE: MongodVersion = '8.2';

/** The earliest that stands for versions which are not imitated: 3.2 knows neither sessions nor transactions. */
const EARLIEST_MODERN = 4.4;
/** 5.0 to 5.3 have the default write concern and the time series of 6.0. */
const STANDS_FOR_5: MongodVersion = '6.0';

/** Newest first. */
const RELEASES = (Object.keys(VERSIONS) as MongodVersion[]).sort((a, b) => Number(b) - Number(a));

/** What is imitated for a version of mongodb-memory-server's. */
export interface Release {
  readonly release: MongodVersion;
  /** False where another release stands for it. */
  readonly exact: boolean;
  /** As the version itself calls a member's delay. Upstream: member_config.idl. */
  readonly delayField: 'secondaryDelaySecs' | 'slaveDelay';
}

/**
 * Which release is imitated for a version of mongodb-memory-server's: its own, or the next below; 4.4 for
 * those before, 6.0 for 5.
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
