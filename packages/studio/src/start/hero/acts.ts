/** What can be seen at once on the start page: a scenario, which is everything that was clicked. */
export interface Act {
  readonly id: 'failover' | 'loss';
  readonly text: string;
}

const BEGIN = `replicaSet: { members: [n1, n2, n3] }
begin: with a primary
steps:
  - advance: 4s
`;

/** The primary dies, and the set goes on. */
export const FAILOVER: Act = {
  id: 'failover',
  text: `name: The primary is killed
${BEGIN}  - kill: primary
  - eventually: { within: 30s, primary: any }
  - insert: { into: app.orders, documents: [{ _id: 1 }], writeConcern: { w: majority } }
  - advance: 500ms
`,
};

/** The same with a write that nobody but the old primary has. */
export const LOSS: Act = {
  id: 'loss',
  text: `name: A write with w 1 is acknowledged, and lost
${BEGIN}  - partition: [[n1], [n2, n3]]
  - insert: { on: n1, into: app.orders, documents: [{ _id: 1 }], writeConcern: { w: 1 } }
  - eventually: { within: 30s, state: { n1: SECONDARY } }
  - eventually: { within: 30s, primary: any }
  - heal: all
  - eventually: { within: 30s, same: all }
  - advance: 500ms
`,
};
