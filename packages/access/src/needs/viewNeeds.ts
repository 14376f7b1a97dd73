import { documentValue } from '@replsim/pipeline';
import { namespace } from '../privileges/resourcePattern.ts';
import { type Asker, type Needed, NOTHING } from './needed.ts';
import { pipelineNeeds } from './pipelineNeeds.ts';

/**
 * What the definition of a view needs: whoever may read the view must be allowed to read what it shows, or a view would widen rights.
 * Upstream: authorization_checks.cpp, checkAuthForCreateOrModifyView.
 */
export function viewNeeds(asking: Asker): readonly Needed[] {
  const { args, mayDo } = asking;
  if (!mayDo('find', namespace(args.ns))) return NOTHING;
  const stages = (args.documents('pipeline') ?? []).map(documentValue);
  return pipelineNeeds(stages, `${args.db}.${args.requiredString('viewOn')}`, asking);
}
