import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CatalogEntry } from '../../src/versions/catalogEntry.ts';
import { type CatalogChanges, CatalogVersions } from '../../src/versions/catalogVersions.ts';

const anyName = fc.constantFrom('db.a', 'db.b', 'db.c', 'db.d');
const anyStep = fc.oneof(
  fc.record({ op: fc.constant('push'), names: fc.array(fc.tuple(anyName, fc.boolean()), { maxLength: 3 }) }),
  fc.record({ op: fc.constantFrom('read', 'read', 'drop', 'rollBack'), back: fc.nat(6) }),
);

/** Every catalog is kept whole. */
class Copies {
  all: { readonly version: number; readonly names: readonly (readonly [string, CatalogEntry])[] }[] = [];

  push(version: number, changes: CatalogChanges): void {
    const names = new Map(this.all.at(-1)?.names);
    for (const [ns, entry] of changes) {
      names.delete(ns);
      if (entry) names.set(ns, entry);
    }
    this.all.push({ version, names: [...names] });
  }

  at(version: number) {
    return this.all.findLast((each) => each.version <= version)?.names ?? [];
  }
}

test('whoever reads whatever version, in whatever order, sees what a copy of each catalog would show', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
      const [versions, copies] = [new CatalogVersions(), new Copies()];
      let newest = 0;
      const push = (changes: CatalogChanges) => {
        newest += 2;
        versions.push(newest, changes);
        copies.push(newest, changes);
      };
      push(new Map());
      for (const step of steps) {
        if ('names' in step) push(new Map(step.names.map(([ns, isThere]) => [ns, isThere ? entryOf(ns) : undefined])));
        else {
          const version = Math.max(newest - step.back, copies.all[0]!.version);
          if (step.op === 'drop') {
            versions.dropBefore(version);
            const first = copies.all.findLastIndex((each) => each.version <= version);
            copies.all.splice(0, first);
          } else if (step.op === 'rollBack') {
            versions.forgetAfter(version);
            copies.all = copies.all.filter((each) => each.version <= version);
            newest = Math.min(newest, version);
          }
          expect([...versions.at(version)]).toEqual(copies.at(version));
        }
      }
    }),
  );
});

function entryOf(ns: string): CatalogEntry {
  return new CatalogEntry({ ns } as CatalogEntry['collection']);
}
