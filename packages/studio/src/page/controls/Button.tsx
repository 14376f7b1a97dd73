import { type ButtonHTMLAttributes, type ReactNode, type Ref, useMemo } from 'react';
import { Tip } from './Tip.tsx';
import { useQuiet } from './useQuiet.ts';

interface Props extends ButtonHTMLAttributes<HTMLButtonElement> {
  readonly look?: 'quiet' | 'strong' | 'ask';
  readonly icon?: ReactNode;
  readonly ref?: Ref<HTMLButtonElement>;
}

/** A button with words, and an icon before them if there is one. */
export function Button({ look, icon, className = '', children, ...rest }: Props): ReactNode {
  return (
    <button type="button" className={`button ${look ?? ''} ${className}`} {...rest}>
      {icon}
      {children}
    </button>
  );
}

interface IconProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  /** What it is called, by readers of the screen as well as in its tip. */
  readonly label: string;
  /** The key that does the same. */
  readonly keys?: string;
  readonly isPressed?: boolean;
}

/** A button that is nothing but an icon, and says what it does. */
export function IconButton(given: IconProps): ReactNode {
  const quiet = useQuiet(given);
  return useMemo(() => iconButton(quiet), [quiet]);
}

function iconButton({ label, keys, isPressed, className = '', ...rest }: IconProps): ReactNode {
  return (
    <Tip text={label} keys={keys}>
      <button
        type="button"
        className={`button icon ${className}`}
        aria-label={label}
        {...(isPressed !== undefined && { 'aria-pressed': isPressed })}
        {...rest}
      />
    </Tip>
  );
}
