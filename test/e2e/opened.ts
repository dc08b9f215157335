import type { Page } from 'playwright-core';
import { fixturePath } from '../support/fixtures.ts';

type Opened = { readonly name: string; readonly hash: string; readonly open: (page: Page) => Promise<void> };

const press =
  (...keys: readonly string[]) =>
  async (page: Page) => {
    await page.locator('[data-row-link]').first().focus();
    for (const key of keys) await page.keyboard.press(key);
  };
const inDialog = (open: (page: Page) => Promise<void>) => async (page: Page) => {
  await open(page);
  await page.getByRole('dialog').waitFor();
};
const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name }).first();

/** What opens on top of a screen. */
export const OPENED: readonly Opened[] = [
  {
    name: 'search results',
    hash: '#/',
    open: async (page) => {
      await page.getByRole('searchbox').fill('the');
      await page.locator('mark').first().waitFor();
    },
  },
  {
    name: 'the filter',
    hash: '#/',
    open: async (page) => {
      await button(page, 'Filter').click();
      await page.getByRole('dialog', { name: 'Filter' }).waitFor();
    },
  },
  {
    name: 'the details of a file',
    hash: '#/files',
    open: inDialog((page) => button(page, '11-news-and-entities.wav').click()),
  },
  {
    name: 'the menu of a file',
    hash: '#/files',
    open: async (page) => {
      await button(page, 'More for 11-news-and-entities.wav').click();
      await page.getByRole('menuitem', { name: 'Delete' }).waitFor();
    },
  },
  { name: 'a new folder', hash: '#/files', open: inDialog((page) => button(page, 'New folder').click()) },
  { name: 'the pages that may use files', hash: '#/files', open: (page) => button(page, 'Change').click() },
];

/**
 * `npm test` has these, or their like, on their own: in the tests of the transcript page, of its player, of models, of files
 * and of the recorder.
 */
export const OPENED_ELSEWHERE: readonly Opened[] = [
  {
    name: 'no search results',
    hash: '#/',
    open: async (page) => {
      await page.getByRole('searchbox').fill('zzyzx');
      await page.getByText('No results').waitFor();
    },
  },
  {
    name: 'the ways to sort',
    hash: '#/',
    open: async (page) => {
      await button(page, 'Newest first').click();
      await page.getByRole('menuitem').first().waitFor();
    },
  },
  {
    name: 'the analyses of a selection',
    hash: '#/',
    open: async (page) => {
      await press('x')(page);
      await button(page, 'Analyze again').click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'a new transcription',
    hash: '#/',
    open: async (page) => {
      await page.keyboard.press('n');
      await page.locator('[role=dialog] input[type=file]').setInputFiles(fixturePath('01-short-note.wav'));
      await page.getByRole('slider').first().waitFor();
    },
  },
  { name: 'the shortcuts', hash: '#/', open: inDialog((page) => page.keyboard.press('?')) },
  { name: 'the commands', hash: '#/', open: inDialog((page) => page.keyboard.press('Control+k')) },
  { name: 'the recorder', hash: '#/', open: inDialog((page) => button(page, 'Record').click()) },
  {
    name: 'the import of a model',
    hash: '#/models',
    open: inDialog((page) => button(page, 'Import a file').click()),
  },
  {
    name: 'the deletion of a file',
    hash: '#/files',
    open: async (page) => {
      await button(page, 'More for 11-news-and-entities.wav').click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      await page.getByText('1 transcript keeps its text', { exact: false }).waitFor();
    },
  },
];
