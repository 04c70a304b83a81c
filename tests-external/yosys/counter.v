// A decimal counter.
module counter(input clk, input enable, output reg [3:0] digit);
  initial digit = 0;
  always @(posedge clk)
    if (enable) digit <= digit == 9 ? 0 : digit + 1;
  always @* assert (digit <= 9);
`ifdef WRONG
  always @* assert (digit != 7);
`endif
  always @* cover (digit == 5);
endmodule
