/** A question that operators ask, and which figures of its scenario answer it. */
export interface Question {
  /** The scenario's name, without the folder and `.yaml`. */
  readonly file: string;
  readonly question: string;
  /** What the figures say, in words. */
  readonly answer: string;
  /** Keys of figures, in the order of the table. */
  readonly figures: readonly string[];
}

export const QUESTIONS: readonly Question[] = [
  {
    file: 'how-long-is-a-failover',
    question: 'How long is a failover?',
    answer:
      'If the primary dies, the set has a new one 9.86 s later in the median run, with the default election timeout. Clients write again after 10.0 s. An election timeout of 2 s shortens that to 2.02 s. A primary that shuts down in order hands over in 19.2 ms. A primary that is cut off is replaced after 11.5 s, and clients write to the new one after 16.5 s. Until it steps down the old primary still accepts writes. The time without any writable primary is 2.00 s in the median run, but 11.3 s in the worst one, so it does not differ from a kill beyond noise.',
    figures: ['faultToPrimaryMs', 'withoutPrimaryMs', 'writes.faultToWriteMs', 'writes.lost'],
  },
  {
    file: 'what-an-arbiter-costs',
    question: 'What does an arbiter cost when a data member is down?',
    answer:
      'All majority writes. With an arbiter in the place of the third data member, 6 writes are acknowledged instead of 36: those that came before the loss. An arbiter votes but holds no data, so every later majority write waits for the member that is down.',
    figures: ['writes.acknowledged', 'writes.worstLatencyMs'],
  },
  {
    file: 'what-w1-loses',
    question: 'What does `w: 1` lose, and how often?',
    answer:
      'Here 200 writes in every run: all that the primary acknowledged while it was cut off. They are rolled back once it returns. If the primary dies instead, no run loses a write: the other members had fetched everything in time. With `w: "majority"` nothing is lost. The client waits instead: 41 writes are acknowledged, not 291.',
    figures: ['writes.acknowledged', 'writes.lost', 'rolledBackDocuments'],
  },
  {
    file: 'does-chaining-help-over-a-wan',
    question: 'Does chaining help over a WAN?',
    answer:
      'Not in time. The scenario has one western member fetch from its neighbour instead of the other coast, which saves traffic. A write that all members must acknowledge then takes 160 ms instead of 80.2 ms. The median lag is 11 ms in both cases, and majority writes do not differ beyond noise: 11.5 ms with and without chaining.',
    figures: ['lagMs', 'writes.latencyMs', 'everywhere.latencyMs'],
  },
  {
    file: 'how-late-is-ttl-after-a-failover',
    question: 'How late is TTL after a failover?',
    answer:
      'Up to 97.5 s with the default sleep, against 59.5 s without a failover. No member accepts writes when a pass is due, so that pass deletes nothing and the next one deletes the documents of two. The median lateness grows less, from 27.3 s to 37.3 s. If the monitor sleeps 10 s, the worst lateness after the failover is 19.5 s.',
    figures: ['worstTtlLatenessMs', 'ttlLatenessMs'],
  },
  {
    file: 'which-election-timeout-for-a-lossy-link',
    question: 'Which election timeout suits a lossy link?',
    answer:
      'Of the four that were measured, 2 s. The median time from the kill to a new primary is 4.55 s instead of 14.5 s with the default, and 40 writes are acknowledged instead of 28. With 1 s, slow heartbeats look like a dead primary: 12 elections are won instead of 1. The set has no writable primary for 49.8 s, and acknowledges 12 writes. The figures of 5 s do not differ from the default beyond noise.',
    figures: ['elections', 'electionsLost', 'faultToPrimaryMs', 'withoutPrimaryMs', 'writes.acknowledged'],
  },
  {
    file: 'how-many-members-in-how-many-data-centres',
    question: 'How many members in how many data centres?',
    answer:
      'Three data centres; three members are enough. With two data centres, the loss of the one that has the majority leaves the set without a primary in every run, with five members as with three. With three data centres there is a new primary after 9.91 s with three members, and after 9.83 s with five. Both acknowledge 24 writes instead of 5.',
    figures: ['neverReplaced', 'faultToPrimaryMs', 'writes.acknowledged'],
  },
  {
    file: 'what-a-delayed-voter-does-to-majority-writes',
    question: 'What does a delayed voter do to majority writes?',
    answer:
      'While another data member is down, each majority write waits for the delay. With a voter that is 5 s late the worst latency is 5.01 s instead of 13.9 ms, and 11 writes are acknowledged instead of 66. A fourth member that is late and has no vote changes nothing: its figures are the same in every run.',
    figures: ['writes.acknowledged', 'writes.latencyMs', 'writes.worstLatencyMs'],
  },
  {
    file: 'what-a-step-down-saves',
    question: 'What does `stepDown` before maintenance save against a kill?',
    answer:
      'Almost the whole failover. There is a new primary after 19.2 ms instead of 9.86 s, and clients are unserved for 1.02 s instead of 10.0 s. A shutdown in order steps down by itself, and does not differ from `stepDown` beyond noise. No operation fails in any of the three cases.',
    figures: ['faultToPrimaryMs', 'writes.longestUnservedMs', 'writes.errors'],
  },
  {
    file: 'how-long-is-a-read-stale',
    question: 'How long is a read stale at `secondaryPreferred`?',
    answer:
      'As long as the driver may choose a secondary that lags, because nothing tells the driver. With one of two secondaries cut off for 10 s, 39 of 100 reads are stale in the median run. Stale reads in a row last 1.00 s, at most 1.40 s, because drivers choose among both secondaries. With nobody cut off no read was stale, and neither was any read from the primary.',
    figures: ['reads.reads', 'reads.staleReads', 'reads.staleForMs'],
  },
  {
    file: 'how-long-must-the-oplog-be',
    question: 'How long must the oplog be?',
    answer:
      'Long enough for the longest time that a member may be down, at your rate of writes. Here it is down for 140 s, with a write every 250 ms. With an oplog of 0.06 MB or 0.12 MB it is too stale when it returns, in every run, and must resync. With 0.24 MB it catches up: the worst lag is the time it was away.',
    figures: ['tooStale', 'worstLagMs'],
  },
  {
    file: 'how-long-does-a-transaction-retry',
    question: 'How long does a transaction retry?',
    answer:
      'Until the set has a new primary and the driver has found it. After a kill the slowest transfer takes 10.0 s in the median run, 2.04 s with an election timeout of 2 s, and 1.03 s if the primary steps down. One attempt is aborted in each run, and is tried again. No transfer fails or is lost.',
    figures: [
      'transfers.worstLatencyMs',
      'transfers.acknowledged',
      'transfers.aborted',
      'transfers.errors',
      'transfers.lost',
    ],
  },
];
