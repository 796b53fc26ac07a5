SELECT 1; -- The number of another step.
