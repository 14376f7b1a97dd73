/** How long a version is remembered for. Unit: µs. Upstream: api_version_metrics.h, kTimestampStaleThreshold. */
const REMEMBERED_MICROS = 24 * 3_600_000_000;
/** Upstream: APIVersionMetrics::KMaxNumOfSavedAppNames. */
const MAX_APPLICATIONS = 1000;

/**
 * `metrics.apiVersions` of serverStatus: which versions of the API each application used within a day, `default` for none.
 * Upstream: api_version_metrics.cpp, APIVersionMetrics.
 */
import type { Reply } from '@replsim/pipeline';
export class ApiVersionCounts {
  readonly #byApplication = new Map<string, Map<string, number>>();

  used(application: string, version: string, nowMicros: number): void {
    let versions = this.#byApplication.get(application);
    if (!versions) {
      if (this.#byApplication.size >= MAX_APPLICATIONS) return;
      versions = new Map();
      this.#byApplication.set(application, versions);
    }
    versions.set(version, nowMicros);
  }

  report(nowMicros: number): Reply {
    const shown: Reply = {};
    for (const [application, versions] of [...this.#byApplication].sort(([a], [b]) => (a < b ? -1 : 1))) {
      for (const [version, usedMicros] of versions)
        if (nowMicros - usedMicros > REMEMBERED_MICROS) versions.delete(version);
      if (versions.size === 0) this.#byApplication.delete(application);
      else shown[application] = [...versions.keys()].sort((a, b) => rank(a) - rank(b));
    }
    return shown;
  }
}

/** `default` comes first. */
function rank(version: string): number {
  return version === 'default' ? 0 : Number(version);
}
