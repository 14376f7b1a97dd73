import { CommandError, type ErrorCodeName } from '@replsim/protocol';

/** What the planner refuses: the plan was never carried out, so that nothing more stands before the message. */
export class PlannerError extends CommandError {
  /** @param about what was asked; it begins the message */
  constructor(code: ErrorCodeName, errmsg: string, about = '') {
    super(code, `${about}planner returned error :: caused by :: ${errmsg}`);
  }
}
