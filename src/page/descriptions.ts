/** How the routes of the page are described. */
import { text, TEXT, type DescribedRoom } from '../http/index.ts';

const PART = {
  summary: 'A part of the page',
  parameters: { v: text('its version: that of this server may be kept for ever', '0') },
} as const;

export const PAGE_API: DescribedRoom = {
  routes: {
    'GET /': {
      summary: 'The page for browsers, a short list of routes for others',
      answers: { 'text/plain; charset=utf-8': TEXT, 'text/html; charset=utf-8': TEXT },
    },
    'GET /ui': { summary: 'The page', answers: { 'text/html; charset=utf-8': TEXT } },
    'GET /ui/page.js': { ...PART, answers: { 'text/javascript; charset=utf-8': TEXT } },
    'GET /ui/page.css': { ...PART, answers: { 'text/css; charset=utf-8': TEXT } },
    'GET /ui/icon.svg': { ...PART, answers: { 'image/svg+xml': TEXT } },
  },
};
