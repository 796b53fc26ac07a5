import i18next from 'i18next';
import { beforeAll, describe, expect, it } from 'vitest';
import { setLanguage } from '@/i18n';
import { describeCron, describeTrigger } from './describe';

beforeAll(async () => {
  await setLanguage('zh');
  await setLanguage('en');
});

const en = (cron: string) => describeCron(cron, i18next.getFixedT('en', 'cron'), 'en');
const zh = (cron: string) => describeCron(cron, i18next.getFixedT('zh', 'cron'), 'zh');

describe('describeCron', () => {
  it.each([
    ['20 3 * * *', '03:20 every day', '每天 03:20'],
    ['0 20 3 * * *', '03:20 every day', '每天 03:20'],
    ['15 20 3 ? * *', '03:20:15 every day', '每天 03:20:15'],
    ['0 6,18 * * *', '06:00 and 18:00 every day', '每天 06:00和18:00'],
    ['@daily', '00:00 every day', '每天 00:00'],
    ['@midnight', '00:00 every day', '每天 00:00'],
    ['@hourly', 'every hour at :00', '每小时 :00'],
    ['@weekly', '00:00 on Sun', '周日 00:00'],
    ['@monthly', '00:00 on the 1st', '每月1日 00:00'],
    ['@yearly', '00:00 on 1 Jan, every year', '每年1月1日 00:00'],
    ['@every 10m', 'every 10 min', '每 10 分钟'],
    ['@every 1h30m', 'every 1 h 30 min', '每 1 小时 30 分钟'],
    ['@every 1h', 'every hour', '每小时'],
    ['@EVERY 2d', 'every 2 days', '每 2 天'],
    ['@every 90s', 'every 1 min 30 s', '每 1 分钟 30 秒'],
    ['* * * * *', 'every minute', '每分钟'],
    ['* * * * * *', 'every second', '每秒'],
    ['*/30 * * * * *', 'every 30 s', '每 30 秒'],
    ['5 * * * *', 'every hour at :05', '每小时 :05'],
    ['5,35 * * * *', 'every 30 min, from :05', '每 30 分钟（从 :05 起）'],
    ['5,20 * * * *', 'every hour at :05 and :20', '每小时 :05和:20'],
    ['*/15 * * * *', 'every 15 min', '每 15 分钟'],
    ['0/15 * * * *', 'every 15 min', '每 15 分钟'],
    ['5/15 * * * *', 'every 15 min, from :05', '每 15 分钟（从 :05 起）'],
    ['0 0/15 9-17 ? * MON-FRI', 'every 15 min, 09:00 to 17:45, on weekdays', '周一至周五 每 15 分钟（09:00 至 17:45）'],
    ['30 8-18 * * 1-5', 'every hour, 08:30 to 18:30, on weekdays', '周一至周五 每小时（08:30 至 18:30）'],
    ['0 */2 * * *', 'every 2 h, from 00:00', '每 2 小时（从 00:00 起）'],
    ['30 1/3 * * *', 'every 3 h, from 01:30', '每 3 小时（从 01:30 起）'],
    ['30 1 * * 1-5', '01:30 on weekdays', '周一至周五 01:30'],
    ['0 9 * * 6,7', '09:00 on weekends', '周六和周日 09:00'],
    ['0 9 * * sat-sun', '09:00 on weekends', '周六和周日 09:00'],
    ['0 12 ? * mon,wed', '12:00 on Mon and Wed', '周一和周三 12:00'],
    ['0 12 * * 0-6', '12:00 every day', '每天 12:00'],
    ['0 19 1 * *', '19:00 on the 1st', '每月1日 19:00'],
    ['0 19 2,3,22 * ?', '19:00 on the 2nd, 3rd, and 22nd', '每月2日、3日和22日 19:00'],
    ['0 19 10-20 * *', '19:00 from the 10th to the 20th', '每月10日至20日 19:00'],
    ['0 19 L * *', '19:00 on the last day of the month', '每月最后一天 19:00'],
    ['0 19 L 2 ?', '19:00 on the last day of the month, only in Feb', '每月最后一天 19:00（仅 2月）'],
    ['0 19 15,l * *', '19:00 on the 15th and last day of the month', '每月15日和最后一天 19:00'],
    ['0 19 L-2 * *', '19:00 on the 3rd day from the end of the month', '每月倒数第 3 天 19:00'],
    ['0 19 LW * *', '19:00 on the last workday of the month', '每月最后一个工作日 19:00'],
    ['0 19 15W * *', '19:00 on the workday nearest to the 15th', '每月最接近15日的工作日 19:00'],
    ['0 19 ? * FRI#2', '19:00 on the 2nd Fri of the month', '每月第 2 个周五 19:00'],
    ['0 19 ? * 7L', '19:00 on the last Sun of the month', '每月最后一个周日 19:00'],
    ['0 6 1 1,4,7,10 *', '06:00 on the 1st, only in Jan, Apr, Jul, and Oct', '每月1日 06:00（仅 1月、4月、7月和10月）'],
    ['0 6 * jan *', '06:00 every day, only in Jan', '每天 06:00（仅 1月）'],
  ])('%s', (cron, inEnglish, inChinese) => {
    expect(en(cron)).toBe(inEnglish);
    expect(zh(cron)).toBe(inChinese);
  });
});

describe('the calendar of a trigger', () => {
  it.each([
    [{}, 'workdays of c', 'c 的工作日'],
    [{ on: 'holidays' }, 'days off of c', 'c 的休息日'],
    [{ otherwise: 'next' }, 'moved to the next workday of c', '顺延到 c 的下一个工作日'],
    [{ on: 'holidays', otherwise: 'next' }, 'moved to the next day off of c', '顺延到 c 的下一个休息日'],
    [{ otherwise: 'previous' }, 'moved to the workday of c before', '提前到 c 的前一个工作日'],
    [{ on: 'holidays', otherwise: 'previous' }, 'moved to the day off of c before', '提前到 c 的前一个休息日'],
    [{ workday: 1 }, 'on the first workday of the month by c', '按 c 每月第一个工作日'],
    [{ workday: -1 }, 'on the last workday of the month by c', '按 c 每月最后一个工作日'],
    [{ workday: 3 }, 'on workday 3 of the month by c', '按 c 每月第 3 个工作日'],
  ])('describes the calendar %o', async (rule, en, zh) => {
    const trigger = { cron: '0 3 * * *', calendar: { name: 'c', ...rule } };
    await setLanguage('zh');
    expect(describeTrigger(trigger, i18next.getFixedT('zh', 'cron'), 'zh').text).toContain(zh);
    await setLanguage('en');
    expect(describeTrigger(trigger, i18next.getFixedT('en', 'cron'), 'en').text).toContain(en);
  });
});

describe('crons without a description', () => {
  it.each([
    '',
    'nonsense',
    '61 * * * *',
    '* * * *',
    '* * * * * * *',
    '*/7 * * * *',
    '0 3 1 * mon',
    '0 3 */2 * 1',
    '7,23 4-6 * * *',
    '0 1,4,9,16,23 * * *',
    '15 */5 * * * *',
    '*/7 * * * * *',
    '*/10 5 * * * *',
    '0 0 L-31 * *',
    '0 0 * * 5#6',
    '0 0 32W * *',
    '0 0 1-5W * *',
    '0 0 * * L',
    '0 0 * * 1,5L',
    '0 0 L * 1',
    '0 0 1,2,3,15,L * *',
    '@reboot',
    '@every 0s',
    '@every 1.5h',
    '@every',
    '@every -5m',
    'TZ=UTC 0 3 * * *',
    '? * * * *',
    '0 0 1,5,9,13,17 * *',
    '0 3 * 1-8 *',
    '5-1 * * * *',
    '*-5 * * * *',
    '0 3 * * 8',
    '0 3 * foo *',
    '0 3 31 2 *',
  ])('%s', (cron) => {
    expect(en(cron)).toBeUndefined();
    expect(zh(cron)).toBeUndefined();
  });
});

describe('describeTrigger', () => {
  it.each([
    [{ cron: '20 3 * * *' }, '20 3 * * *', '03:20 every day', '每天 03:20'],
    [{ at: '2026-12-24T18:00' }, 'at 2026-12-24T18:00', 'once, at 2026-12-24 18:00', '仅一次：2026-12-24 18:00'],
    [
      { at: '2026-12-24T18:00:00+08:00' },
      'at 2026-12-24T18:00:00+08:00',
      'once, at 2026-12-24 18:00:00+08:00',
      '仅一次：2026-12-24 18:00:00+08:00',
    ],
    [
      { cron: '20 3 * * *', start: '2027-01-01' },
      '20 3 * * * from 2027-01-01',
      '03:20 every day, from 2027-01-01',
      '每天 03:20（2027-01-01 起）',
    ],
    [
      { cron: '@every 1h', end: '2027-01-31T12:00' },
      '@every 1h until 2027-01-31T12:00',
      'every hour, until 2027-01-31 12:00',
      '每小时（至 2027-01-31 12:00）',
    ],
    [
      { cron: '20 3 * * *', start: '2027-01-01 08:00', end: '2027-01-31' },
      '20 3 * * * from 2027-01-01 08:00 until 2027-01-31',
      '03:20 every day, from 2027-01-01 08:00 until 2027-01-31',
      '每天 03:20（2027-01-01 08:00 至 2027-01-31）',
    ],
    [
      { every: '10m', from: 'end' },
      'every 10m from end',
      '10 min after the last batch has ended',
      '上一个批次结束 10 分钟后',
    ],
    [
      { every: '1h30m', from: 'end', start: '2027-01-01', end: '2027-01-31' },
      'every 1h30m from end from 2027-01-01 until 2027-01-31',
      '1 h 30 min after the last batch has ended, from 2027-01-01 until 2027-01-31',
      '上一个批次结束 1 小时 30 分钟后（2027-01-01 至 2027-01-31）',
    ],
    [{}, '', 'no time yet', '尚未设定时间'],
    [{ at: '' }, '', 'no time yet', '尚未设定时间'],
  ])('%j', (trigger, name, inEnglish, inChinese) => {
    for (const one of [trigger, name]) {
      expect(describeTrigger(one, i18next.getFixedT('en', 'cron'), 'en')).toEqual({ text: inEnglish, described: true });
      expect(describeTrigger(one, i18next.getFixedT('zh', 'cron'), 'zh')).toEqual({ text: inChinese, described: true });
    }
  });

  it.each([
    [{ cron: '*/7 * * * *' }, '*/7 * * * *'],
    [{ cron: '*/7 * * * *', end: '2027-01-31' }, '*/7 * * * *, until 2027-01-31'],
  ])('shows a cron without a description: %j', (trigger, text) => {
    expect(describeTrigger(trigger, i18next.getFixedT('en', 'cron'), 'en')).toEqual({ text, described: false });
  });
});
