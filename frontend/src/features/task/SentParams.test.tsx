import { render, screen } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { SentParams } from './SentParams';

describe('the params of an attempt as they were sent', () => {
  beforeEach(() => setLanguage('en'));

  it('shows texts as they are, and all else as JSON', () => {
    render(<SentParams params={{ command: 'load 2026-11-27', env: { DAY: '27' }, '…': 2 }} />);
    expect(screen.getByText('Parameters as sent')).toBeInTheDocument();
    expect(screen.getByText('load 2026-11-27')).toBeInTheDocument();
    expect(screen.getByText(/"DAY": "27"/)).toBeInTheDocument();
    expect(screen.getByText('2 large parameters are left out.')).toBeInTheDocument();
  });

  it('is not there if nothing was rendered', () => {
    const { container } = render(<SentParams />);
    expect(container).toBeEmptyDOMElement();
  });
});
