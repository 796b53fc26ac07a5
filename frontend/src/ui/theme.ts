import {
  type ButtonProps,
  type CheckboxProps,
  createTheme,
  type CSSVariablesResolver,
  type ModalProps,
  type RadioProps,
  type SwitchProps,
  type TooltipProps,
} from '@mantine/core';

/** The theme of Mantine's components. All colours, light and dark, come from tokens.css. */
export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--mono)',
  headings: { fontFamily: 'var(--font)', fontWeight: '650' },
  fontSizes: { xs: '11px', sm: '13px', md: '14px', lg: '15px', xl: '18px' },
  radius: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
  spacing: { xs: '8px', sm: '12px', md: '16px', lg: '20px', xl: '28px' },
  shadows: {
    xs: 'var(--shadow)',
    sm: 'var(--shadow)',
    md: 'var(--shadow)',
    lg: 'var(--shadow-over)',
    xl: 'var(--shadow-over)',
  },
  defaultRadius: 'sm',
  cursorType: 'pointer',
  respectReducedMotion: true,
  primaryColor: 'honey',
  colors: {
    honey: [
      '#fdf1cf',
      '#fbe7ad',
      '#f8d97f',
      '#f5cb52',
      '#f2b92e',
      '#e3a612',
      '#d99a00',
      '#b98300',
      '#9a6d00',
      '#7a5600',
    ],
    // Warm greys, which Mantine uses for borders, hovers and menus.
    gray: [
      '#faf7f0',
      '#f3eee3',
      '#ebe4d5',
      '#e4dccb',
      '#cfc4ad',
      '#b3a891',
      '#8a8170',
      '#5f5749',
      '#3f392e',
      '#231f18',
    ],
    dark: [
      '#f1ebdf',
      '#b5ab9a',
      '#9b9080',
      '#6b6252',
      '#4a4336',
      '#332e25',
      '#1e1b16',
      '#15130f',
      '#110f0c',
      '#0b0a08',
    ],
  },
  // Plain objects: Button.extend() and the like would put all of these components into the first load.
  components: {
    Button: {
      defaultProps: { size: 'sm', variant: 'default', fw: 500 } satisfies ButtonProps,
      vars: (_: unknown, { variant }: ButtonProps) => ({
        root: variant === 'filled' ? { '--button-color': 'var(--on-honey)' } : {},
      }),
      styles: { root: { height: 'var(--button, 32px)', paddingInline: 12 } },
    },
    InputWrapper: {
      styles: { label: { fontWeight: 500, marginBottom: 4 }, description: { color: 'var(--ink-3)' } },
    },
    Checkbox: { defaultProps: { color: 'var(--focus)' } satisfies CheckboxProps },
    Radio: { defaultProps: { color: 'var(--focus)' } satisfies RadioProps },
    Switch: { defaultProps: { color: 'var(--focus)' } satisfies SwitchProps },
    Modal: {
      defaultProps: {
        radius: 'lg',
        centered: true,
        overlayProps: { backgroundOpacity: 0.35 },
      } satisfies Partial<ModalProps>,
    },
    Tooltip: {
      defaultProps: {
        openDelay: 300,
        withArrow: false,
        fz: 12,
        events: { hover: true, focus: true, touch: true },
      } satisfies Partial<TooltipProps>,
    },
  },
});

const shared = {
  '--mantine-color-body': 'var(--paper)',
  '--mantine-color-text': 'var(--ink)',
  '--mantine-color-dimmed': 'var(--ink-3)',
  '--mantine-color-default': 'var(--surface)',
  '--mantine-color-default-hover': 'var(--sunken)',
  '--mantine-color-default-color': 'var(--ink)',
  '--mantine-color-default-border': 'var(--line-strong)',
  '--mantine-color-placeholder': 'var(--ink-3)',
  '--mantine-color-error': 'var(--failed)',
  '--mantine-color-anchor': 'var(--focus)',
  '--mantine-primary-color-filled': 'var(--honey)',
  '--mantine-primary-color-filled-hover': 'color-mix(in srgb, var(--honey) 88%, var(--ink))',
  '--mantine-primary-color-contrast': 'var(--on-honey)',
  '--mantine-color-honey-filled': 'var(--honey)',
  '--mantine-color-honey-filled-hover': 'color-mix(in srgb, var(--honey) 88%, var(--ink))',
  '--mantine-color-honey-contrast': 'var(--on-honey)',
  '--mantine-color-honey-light': 'var(--honey-wash)',
  '--mantine-color-honey-light-color': 'var(--honey-ink)',
};

/** Maps the variables of Mantine to the tokens. */
export const resolver: CSSVariablesResolver = () => ({ variables: {}, light: shared, dark: shared });
