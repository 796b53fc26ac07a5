import { type CronForm, type Cycle, steps } from '@/cron';

/** Whether a form has all that its crons need. */
export function isComplete(form: CronForm): boolean {
  switch (form.cycle) {
    case 'second':
    case 'minute':
      return form.starts.length > 0;
    case 'period':
      return form.period >= 1;
    case 'week':
      return form.times.length > 0 && form.weekdays.length > 0;
    case 'month':
    case 'quarter':
    case 'year':
      return form.times.length > 0 && form.days.length > 0 && form.months.length > 0;
    default:
      return form.times.length > 0;
  }
}

/** The form in another cycle; values that do not fit the cycle are replaced by its defaults. */
export function withCycle(form: CronForm, cycle: Cycle): CronForm {
  const short = (one: Cycle) => one === 'second' || one === 'minute';
  const every = short(cycle) && !short(form.cycle) ? 10 : steps(cycle).includes(form.every) ? form.every : 1;
  const months = cycle === 'quarter' || cycle === 'month' ? [1] : form.months;
  return withStep({ ...form, cycle, months }, every);
}

/** The form with another number of units in a turn; starts, times and months are moved into the turn. */
export function withStep(form: CronForm, every: number): CronForm {
  const times =
    form.cycle === 'hour' ? form.times.map((time) => ({ ...time, hour: time.hour % every, second: 0 })) : form.times;
  const unique = [
    ...new Map(
      times.map((time) => [`${String(time.hour)} ${String(time.minute)} ${String(time.second)}`, time]),
    ).values(),
  ];
  const months =
    form.cycle === 'month' ? form.months.slice(0, 1).map((month) => ((month - 1) % every) + 1) : form.months;
  return { ...form, every, starts: [...new Set(form.starts.map((start) => start % every))], times: unique, months };
}
