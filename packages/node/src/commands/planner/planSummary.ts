import { describeDocument } from '@replsim/storage';
import type { Plan } from './plan.ts';

/** A plan in a few words, as `planSummary` has it in the log. Upstream: plan_explainer_impl.cpp, getPlanSummary. */
export function planSummary(plan: Plan): string {
  if (plan.stage === 'COLLSCAN') return 'COLLSCAN';
  if (plan.index.spec.clustered) return 'CLUSTERED_IXSCAN';
  return plan.byId ? 'IDHACK' : `IXSCAN ${describeDocument(plan.index.spec.keyPattern)}`;
}
