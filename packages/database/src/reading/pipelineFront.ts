import {
  documentOf,
  EMPTY_DOCUMENT,
  type PipelineWorld,
  type Search,
  type Stage,
  sortOf,
  wholeNumber,
} from '@replsim/pipeline';
import type { BsonValue } from '@replsim/protocol';
import { type CompiledFilter, compile } from './query.ts';

/** The stages at the front of a pipeline that are a query: what the planner sees of it. */
export interface PipelineFront {
  readonly filter: CompiledFilter;
  readonly sort: Uint8Array | undefined;
  readonly hint: BsonValue | undefined;
  readonly skip: number;
  /** Infinity for none. */
  readonly limit: number;
  /** The stages behind. */
  readonly rest: readonly Stage[];
}

/**
 * Takes `$match`, `$sort`, `$skip` and `$limit` from the front of a pipeline as far as they stand in this order.
 * @param search what `$text` in its `$match` looks through
 * Errors: those of the stages. Upstream: pipeline_d.cpp, prepareExecutor.
 */
export function frontOf(
  stages: readonly Stage[],
  { filterVariables, collator }: Pick<PipelineWorld, 'filterVariables' | 'collator'>,
  hint: BsonValue | undefined,
  search: Search,
): PipelineFront {
  let rest = stages;
  const take = (name: string): Stage | undefined => {
    const [first] = rest;
    if (first?.name !== name) return undefined;
    rest = rest.slice(1);
    return first;
  };
  const match = take('$match');
  const filter = compile(match ? documentOf(match) : EMPTY_DOCUMENT, filterVariables, collator, search);
  const sort = take('$sort');
  const skip = take('$skip');
  const limit = take('$limit');
  return {
    filter,
    sort: sort && sortOf(sort),
    hint,
    skip: skip ? wholeNumber(skip, 0) : 0,
    limit: limit ? wholeNumber(limit, 1) : Infinity,
    rest,
  };
}
