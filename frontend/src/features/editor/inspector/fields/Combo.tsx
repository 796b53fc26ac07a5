import { useState } from 'react';
import { Field, type FieldProps } from './Field';
import { type Offer, Suggest } from './Suggest';

interface Props extends FieldProps {
  value: string;
  offers: readonly Offer[];
  placeholder?: string;
  mono?: boolean;
  /** Taken when it is left or picked, not while it is typed. */
  late?: boolean;
  /** What is said beside an offer, where that is worth asking for those only that are seen. */
  detail?: (value: string) => string;
  onChange: (value: string) => void;
}

/** The offers that a typed text may mean: those that begin with it, then those that hold it. */
export function matching(offers: readonly Offer[], typed: string): Offer[] {
  const low = typed.trim().toLowerCase();
  const rank = (offer: Offer) => {
    const all = [offer.value, offer.label ?? ''].map((text) => text.toLowerCase());
    return all.some((text) => text.startsWith(low)) ? 0 : all.some((text) => text.includes(low)) ? 1 : 2;
  };
  return offers
    .filter((offer) => rank(offer) < 2)
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, 100);
}

/** A text field that offers the usual texts. */
export function Combo({ value, offers, placeholder, mono, late, detail, onChange, ...field }: Props) {
  const [typed, setTyped] = useState<string>();
  const commit = () => {
    if (late && typed !== undefined && typed.trim() !== value) onChange(typed.trim());
    setTyped(undefined);
  };
  return (
    <Field {...field}>
      {(control) => (
        <Suggest
          {...control}
          value={typed ?? value}
          placeholder={placeholder}
          mono={mono}
          offer={() =>
            matching(offers, typed ?? '').map((one) => (detail ? { ...one, detail: detail(one.value) } : one))
          }
          onChange={(text) => {
            setTyped(text);
            if (!late) onChange(text.trim());
          }}
          onPick={(picked) => {
            setTyped(undefined);
            onChange(picked);
            return undefined;
          }}
          onBlur={commit}
          onKeyDown={(event) => {
            if (event.key === 'Enter') commit();
            else if (event.key === 'Escape') setTyped(undefined);
          }}
        />
      )}
    </Field>
  );
}
