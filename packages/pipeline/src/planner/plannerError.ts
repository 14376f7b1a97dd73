import { CommandError, type ErrorCodeName } from '@replsim/protocol';

/** What the planner refuses: the plan was never carried out, so that nothing more stands before the message. */
export class PlannerError extends CommandError {
  /** @param about stands in front, where the message says what was asked */
  constructor(code: ErrorCodeName, errmsg: string, about = '') {
    super(code, `${about}planner returned error :: caused by :: ${errmsg}`);
  }
}
