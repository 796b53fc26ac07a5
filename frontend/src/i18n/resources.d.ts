import 'i18next';
import type common from './locales/en/common.json';
import type states from './locales/en/states.json';
import type problems from './locales/en/problems.json';
import type auth from './locales/en/auth.json';
import type schedules from './locales/en/schedules.json';
import type alerts from './locales/en/alerts.json';
import type archive from './locales/en/archive.json';
import type rename from './locales/en/rename.json';
import type batch from './locales/en/batch.json';
import type task from './locales/en/task.json';
import type log from './locales/en/log.json';
import type repair from './locales/en/repair.json';
import type run from './locales/en/run.json';
import type batches from './locales/en/batches.json';
import type backfill from './locales/en/backfill.json';
import type calendars from './locales/en/calendars.json';
import type executors from './locales/en/executors.json';
import type forecast from './locales/en/forecast.json';
import type ticks from './locales/en/ticks.json';
import type planned from './locales/en/planned.json';
import type chain from './locales/en/chain.json';
import type cron from './locales/en/cron.json';
import type scene from './locales/en/scene.json';
import type document from './locales/en/document.json';
import type editor from './locales/en/editor.json';
import type canvas from './locales/en/canvas.json';
import type inspector from './locales/en/inspector.json';
import type views from './locales/en/views.json';
import type sentences from './locales/en/sentences.json';

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'common';
    resources: {
      common: typeof common;
      states: typeof states;
      problems: typeof problems;
      auth: typeof auth;
      schedules: typeof schedules;
      alerts: typeof alerts;
      archive: typeof archive;
      rename: typeof rename;
      batch: typeof batch;
      task: typeof task;
      log: typeof log;
      repair: typeof repair;
      run: typeof run;
      batches: typeof batches;
      backfill: typeof backfill;
      calendars: typeof calendars;
      executors: typeof executors;
      forecast: typeof forecast;
      ticks: typeof ticks;
      planned: typeof planned;
      chain: typeof chain;
      cron: typeof cron;
      scene: typeof scene;
      document: typeof document;
      editor: typeof editor;
      canvas: typeof canvas;
      inspector: typeof inspector;
      views: typeof views;
      sentences: typeof sentences;
    };
  }
}
