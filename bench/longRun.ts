/**
 * A scenario of some minutes that leaves more than 200,000 trace events with causes: five members, two clients, a TTL index, a primary that
 * is cut off with writes that a rollback takes away, a crash, and a takeover by priority.
 */
export const LONG_RUN = `name: Five members under a steady load
replicaSet:
  members:
    - { name: n1, priority: 2, tags: { dc: east } }
    - { name: n2, tags: { dc: east } }
    - { name: n3, tags: { dc: west } }
    - { name: n4, tags: { dc: west } }
    - { name: n5, priority: 0, hidden: true, tags: { dc: west } }
steps:
  - eventually: { within: 30s, primary: n1 }
  - createIndex: { in: app.sessions, keys: { at: 1 }, options: { expireAfterSeconds: 0 } }
  - insert: { into: app.sessions, count: 2000, document: { _id: $i, at: { $date: "2025-01-01T00:01:30Z" } } }
  - workload: { name: loose, every: 100ms, insert: { into: app.notes, document: { text: loose } }, writeConcern: { w: 1 } }
  - workload: { name: safe, every: 500ms, insert: { into: app.notes, document: { text: safe } }, writeConcern: { w: majority } }
  - advance: 30s
  - partition: [[n1], [n2, n3, n4, n5]]
  - advance: 20s
  - heal: all
  - advance: 40s
  - kill: n3
  - advance: 20s
  - start: n3
  - advance: 50s
`;
