import {
  type Bound,
  type IndexPlan,
  type Interval,
  intervalsOf,
  isEmptyDocument,
  type OperationVariables,
  type Plan,
  type Reply,
} from '@replsim/pipeline';
import { BsonWriter, invariant, RawBson } from '@replsim/protocol';
import { parseCount } from '../crud/count.ts';
import type { CommandContext } from '../definition.ts';
import type { Explained } from './explained.ts';
import { indexDetails } from './scanStages.ts';
import { NOT_RUN, type StageNode, withoutLimit } from './stageNode.ts';

/** A count: COUNT above what finds the documents, which is COUNT_SCAN where one range of keys answers. Upstream: count.cpp. */
export function explainCount(context: CommandContext, variables: OperationVariables): Explained {
  const { args } = context;
  const { filter, skip, limit, hint } = parseCount(context, variables);
  const figures = (found: number, hasRun: boolean) =>
    hasRun ? { nCounted: Math.min(Math.max(found - skip, 0), limit), nSkipped: Math.min(skip, found) } : {};
  const isAll = isEmptyDocument(filter.bytes) && !hint;
  return {
    ns: args.ns,
    spec: { filter, hint, skip: 0, limit: skip + limit, counted: true },
    top: (input, plan, run) => ({
      stage: 'COUNT',
      details: {},
      input: countScan(withoutLimit(input), plan),
      ran: run ? { works: input.ran.works + 1, advanced: 0, yields: input.ran.yields, isEOF: true } : NOT_RUN,
      figures: figures(run?.documents.length ?? 0, run !== undefined),
    }),
    ...(isAll && {
      fastCount: (count, hasRun) => ({
        stage: 'RECORD_STORE_FAST_COUNT',
        details: {},
        ran: hasRun ? { works: 1, advanced: 0, yields: 0, isEOF: true } : NOT_RUN,
        figures: figures(count, hasRun),
      }),
    }),
  };
}

function countScan(node: StageNode, plan: Plan | undefined): StageNode {
  if (node.stage !== 'IXSCAN' || plan?.stage !== 'IXSCAN') return node;
  const indexBounds = simpleRange(plan);
  if (!indexBounds) return node;
  const { keysExamined } = node.figures;
  return {
    ...node,
    stage: 'COUNT_SCAN',
    details: { ...indexDetails(plan.index), indexBounds },
    figures: { keysExamined },
  };
}

/** The bounds as two keys, where they are the ends of one range. Upstream: IndexBoundsBuilder::isSingleInterval. */
function simpleRange({ bounds, ranges, keyTest, index, limited }: IndexPlan): Reply | undefined {
  if (ranges.length !== 1 || keyTest || limited || bounds.some((part) => part.length !== 1)) return undefined;
  const { spec } = index;
  const each = spec.parts.map((part, i) => ({
    part,
    interval: directed(onlyInterval(intervalsOf(bounds, i)), part.descending),
  }));
  return {
    startKey: keyDocument(each.map(({ part, interval }) => [part.path, interval.low])),
    startKeyInclusive: each.every(({ interval }) => interval.lowInclusive),
    endKey: keyDocument(each.map(({ part, interval }) => [part.path, interval.high])),
    endKeyInclusive: each.every(({ interval }) => interval.highInclusive),
  };
}

function onlyInterval(intervals: readonly Interval[]): Interval {
  const [interval] = intervals;
  invariant(interval, 'each part of a single range has one interval');
  return interval;
}

function directed(interval: Interval, descending: boolean): Interval {
  const { low, lowInclusive, high, highInclusive } = interval;
  return descending ? { low: high, lowInclusive: highInclusive, high: low, highInclusive: lowInclusive } : interval;
}

function keyDocument(ends: readonly (readonly [path: string, end: Bound])[]): RawBson {
  const writer = new BsonWriter();
  for (const [path, { value }] of ends) writer.rawValue(path, value);
  return new RawBson(writer.finish());
}
