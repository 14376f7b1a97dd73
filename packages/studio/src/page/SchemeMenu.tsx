import Check from 'lucide-react/icons/check';
import Monitor from 'lucide-react/icons/monitor';
import Moon from 'lucide-react/icons/moon';
import Sun from 'lucide-react/icons/sun';
import * as Menu from 'radix-ui/dropdown-menu';
import { memo, type ReactNode } from 'react';
import { SCHEMES, type Scheme, useScheme } from './useScheme.ts';

const ICONS = { system: Monitor, light: Sun, dark: Moon } as const;
const NAMES: Readonly<Record<Scheme, string>> = { system: 'as the system', light: 'light', dark: 'dark' };

/** Light or dark; nothing of it changes with the instant. */
export const SchemeMenu = memo(function SchemeMenu(): ReactNode {
  const [scheme, choose] = useScheme();
  const Icon = ICONS[scheme];
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger className="button icon scheme" aria-label="colours">
        <Icon size={16} aria-hidden="true" />
      </Menu.Trigger>
      <Menu.Portal>
        <Menu.Content className="menu" sideOffset={6} collisionPadding={8}>
          <Menu.RadioGroup value={scheme} onValueChange={(next) => choose(next as Scheme)}>
            {SCHEMES.map((each) => (
              <Menu.RadioItem key={each} value={each} className="menu-item">
                {NAMES[each]}
                <Menu.ItemIndicator className="menu-mark">
                  <Check size={14} aria-hidden="true" />
                </Menu.ItemIndicator>
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Content>
      </Menu.Portal>
    </Menu.Root>
  );
});
