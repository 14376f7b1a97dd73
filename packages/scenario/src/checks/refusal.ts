/** Why a check does not hold; undefined when it does. */
export type Refusal =
  | {
      readonly asked: string;
      readonly got: string;
      readonly advice?: string | undefined;
      /** Nobody could say whether it holds or not. */
      readonly unanswered?: boolean;
      /** No member takes writes, where one was asked for. */
      readonly noPrimary?: boolean;
    }
  | undefined;
