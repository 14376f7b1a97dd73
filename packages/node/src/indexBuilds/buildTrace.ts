import { required, toHex } from '@replsim/protocol';
import { countDrawnKeys } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { IndexBuild } from './indexBuild.ts';

/** What the trace says of index builds; nothing of it is made where nobody reads it. */
export class BuildTrace {
  readonly #core: Core;

  constructor(core: Core) {
    this.#core = core;
  }

  phase(
    { ns, uuid, names: indexes }: IndexBuild,
    phase: 'started' | 'scanned' | 'ready' | 'aborted' | 'left',
    more: { readonly documents?: number; readonly cause?: string } = {},
  ): void {
    if (!this.#core.tracing) return;
    this.#core.trace({ type: 'indexBuild', phase, ns, buildUuid: toHex(uuid), indexes, ...more });
  }

  ready(build: IndexBuild): void {
    this.phase(build, 'ready');
    if (!this.#core.tracing) return;
    const { collection, ns } = build;
    const indexes = build.specs.map((spec) => {
      const keys = required(collection.index(spec.name), 'index that was built').keyCount;
      return { name: spec.name, keys, drawn: countDrawnKeys(collection, spec) };
    });
    this.#core.trace({ type: 'indexesReady', ns, indexes });
  }
}
