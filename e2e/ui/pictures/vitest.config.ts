import { defineConfig } from 'vitest/config';
import base from '../vitest.config';

// Takes the pictures of the documents instead of testing.
export default defineConfig({ ...base, test: { ...base.test, include: ['pictures/docs.ts'] } });
