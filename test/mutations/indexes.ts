import type { Mutation } from './mutation.ts';

const BUILT_WHILE_WRITING = `
replicaSet: { members: [{ name: n1, priority: 2 }, n2, n3] }
costs: { indexBuildMicrosPerDocument: 10000 }
steps:
  - eventually: { within: 60s, primary: n1 }
  - insert: { into: app.c, count: 100, document: { _id: $i, a: $i }, writeConcern: { w: 3 } }
  - createIndex: { on: n1, in: app.c, keys: { a: 1 }, options: { name: a }, as: built }
  - advance: 500ms
  - insert: { into: app.c, documents: [{ _id: late, a: 5 }], writeConcern: { w: 3 } }
  - delete: { from: app.c, filter: { _id: 3 } }
  - eventually: { within: 60s, reply: built, matches: { ok: 1 } }
  - insert: { into: app.c, documents: [{ _id: last, a: 5 }], writeConcern: { w: 3 } }
`;

export const indexes: readonly Mutation[] = [
  {
    name: 'a member that forgets what is written while it builds an index',
    fires: ['readyIndexesComplete'],
    members: ['n2'],
    after({ core }) {
      for (const { unfinished } of core.engine.collections()) {
        for (const build of unfinished) {
          Object.assign(build, { inserted: () => {} });
        }
      }
    },
    scenario: BUILT_WHILE_WRITING,
  },
  {
    name: 'a member that does not wait for the primary to commit an index',
    fires: ['sameIndexesAtSameOpTime'],
    members: ['n3'],
    after({ core, indexBuilds }) {
      for (const build of [...indexBuilds.running]) {
        if (!build.progress?.isScanned) continue;
        core.engine.finishBuild(build.ns, build.uuid, { lenient: true });
        indexBuilds.leave(build);
      }
    },
    scenario: BUILT_WHILE_WRITING,
  },
];
