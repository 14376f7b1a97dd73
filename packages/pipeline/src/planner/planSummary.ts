import { describeDocument } from '@replsim/storage';
import type { Plan } from './plan.ts';

/**
 * A plan in a few words, as `planSummary` has it in the log. Upstream: plan_explainer_impl.cpp, getPlanSummary.
 * @param express as the version names what finds a document by its `_id`
 */
export function planSummary(plan: Plan, express: boolean): string {
  if (plan.stage === 'COLLSCAN') return 'COLLSCAN';
  if (plan.index.spec.clustered) return 'CLUSTERED_IXSCAN';
  if (plan.byId && !express) return 'IDHACK';
  const { kind, keyPattern } = plan.index.spec;
  if (plan.near) return `GEO_NEAR_${kind.toUpperCase()} ${describeDocument(keyPattern)}`;
  if (plan.text) return `TEXT_MATCH ${describeDocument(keyPattern)}`;
  return `${plan.byId ? 'EXPRESS_IXSCAN' : 'IXSCAN'} ${describeDocument(keyPattern)}`;
}
