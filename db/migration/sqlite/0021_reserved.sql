-- This number is kept for another change.
SELECT 1;
