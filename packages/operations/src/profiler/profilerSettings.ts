import { compileFilter, type Filter } from '@replsim/query';

/** What the profiler does in one database: 0 nothing, 1 keeps what is slow, 2 keeps everything. */
export type ProfilingLevel = 0 | 1 | 2;

/** A filter as it was set, which decides instead of slowness. */
export interface ProfileFilter {
  readonly bytes: Uint8Array;
  readonly matches: Filter;
}

/** The settings of one database. */
export interface DatabaseSettings {
  readonly level: ProfilingLevel;
  readonly filter: ProfileFilter | undefined;
}

const OFF: DatabaseSettings = Object.freeze({ level: 0, filter: undefined });

/** Which operations are slow, and which databases keep them. Upstream: profile_settings.h, ProfileSettings. */
export class ProfilerSettings {
  /** For the log too, and for all databases. Unit: ms. Upstream: serverGlobalParams.slowMS. */
  slowMs = 100;
  /** The share of slow operations that are kept and logged, 0 to 1. */
  sampleRate = 1;
  readonly #databases = new Map<string, DatabaseSettings>();

  of(db: string): DatabaseSettings {
    return this.#databases.get(db) ?? OFF;
  }

  set(db: string, settings: DatabaseSettings): void {
    this.#databases.set(db, settings);
  }
}

/** Compiles a filter on profiler documents. Throws as `compileFilter` does. */
export function profileFilter(bytes: Uint8Array): ProfileFilter {
  return { bytes, matches: compileFilter(bytes) };
}
