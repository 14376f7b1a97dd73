import { namespace } from '@replsim/access';
import { type Asking, type Needed, NOTHING } from '../needs.ts';
import { pipelineNeeds } from './pipelineNeeds.ts';

/**
 * What the definition of a view needs: whoever may read the view must be allowed to read what it shows, or a view would widen rights.
 * Upstream: authorization_checks.cpp, checkAuthForCreateOrModifyView.
 */
export function viewNeeds(asking: Asking): readonly Needed[] {
  const { args, mayDo } = asking;
  if (!mayDo('find', namespace(args.ns))) return NOTHING;
  return pipelineNeeds(args.array('pipeline') ?? [], `${args.db}.${args.requiredString('viewOn')}`, asking);
}
